import { setTimeout as sleep } from 'node:timers/promises';
import type { AdapterRun } from '../../../database/collections/adapter-state.ts';
import type { AdapterStateStore } from './adapter-states.ts';

export interface Followers {
  /** The number of running processes. */
  readonly processes: number;
  /** The processes that still run an older version. Empty: all follow. */
  readonly behind: readonly AdapterRun[];
  /** Those of them that could not load the version. */
  readonly refusing: readonly AdapterRun[];
}

const FOLLOW_LIMIT_MS = 15_000;

/** Waits until every running process uses this version of the states, one of them refuses it, or 15 s have passed. */
export async function awaitFollowers(
  adapterStates: Pick<AdapterStateStore, 'running'>,
  version: number,
): Promise<Followers> {
  const end = performance.now() + FOLLOW_LIMIT_MS;
  for (;;) {
    const running = await adapterStates.running();
    const behind = running.filter((run) => run.version < version);
    const refusing = behind.filter(({ refused }) => refused !== null && refused >= version);
    if (behind.length === 0 || refusing.length > 0 || performance.now() > end)
      return { processes: running.length, behind, refusing };
    await sleep(100);
  }
}
