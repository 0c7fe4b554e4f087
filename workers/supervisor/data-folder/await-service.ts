import { setTimeout as sleep } from 'node:timers/promises';
import { findHolder } from './folder-lock.ts';
import { folderOf, readState, type RunningState } from './kept-state.ts';

const limitMs = 60_000;
const pollMs = 100;

/** The service whose API runs on the folder now, by `paywright api` or else by `paywright start`. Undefined: none does. */
export async function findApi(dataDir: string): Promise<RunningState | undefined> {
  for (const folder of [folderOf('api', dataDir), dataDir]) {
    const holder = await findHolder(folder);
    const { running } = await readState(folder);
    // What a service that was killed left behind names a process that holds the folder no more.
    if (holder?.kind === 'service' && running?.pid === holder.pid) return running;
  }
  return undefined;
}

/** The service that runs on the folder, once it is up. Undefined: none runs. */
export async function awaitService(folder: string): Promise<RunningState | undefined> {
  const until = Date.now() + limitMs;
  for (;;) {
    const holder = await findHolder(folder);
    if (holder?.kind !== 'service') return undefined;
    const { running } = await readState(folder);
    if (running?.pid === holder.pid) return running;
    if (Date.now() > until) {
      throw new Error(`The gateway (process ${holder.pid}) does not get ready: see the log in ${folder}.`);
    }
    await sleep(pollMs);
  }
}
