import { setTimeout as sleep } from 'node:timers/promises';
import { findHolder } from './folder-lock.ts';
import { readState, type RunningState } from './kept-state.ts';

const limitMs = 60_000;
const pollMs = 100;

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
