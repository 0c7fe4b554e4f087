import { setTimeout as sleep } from 'node:timers/promises';
import { findHolder } from './folder-lock.ts';
import { folderOf, readState, type RunningState } from './kept-state.ts';

const limitMs = 60_000;
const pollMs = 100;

/**
 * The service whose API runs on the folder now, started by `paywright api` or `paywright start`. Undefined: no API
 * runs.
 */
export async function findApi(dataDir: string): Promise<RunningState | undefined> {
  for (const folder of [folderOf('api', dataDir), dataDir]) {
    const holder = await findHolder(folder);
    const { running } = await readState(folder);
    // State that a killed service left behind names a process that no longer holds the folder.
    if (holder?.kind === 'service' && running?.pid === holder.pid) return running;
  }
  return undefined;
}

/** Waits until the service on the folder is up, and returns it. Undefined: no service runs. */
export async function awaitService(folder: string): Promise<RunningState | undefined> {
  const until = Date.now() + limitMs;
  for (;;) {
    const holder = await findHolder(folder);
    if (holder?.kind !== 'service') return undefined;
    const { running } = await readState(folder);
    if (running?.pid === holder.pid) return running;
    if (Date.now() > until) {
      throw new Error(
        `The gateway (process ${holder.pid}) is not ready after ${limitMs / 1000} s: see the log in ${folder}.`,
      );
    }
    await sleep(pollMs);
  }
}
