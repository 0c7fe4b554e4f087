import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningState } from './kept-state.ts';
import { processStartTime, killProcess } from './processes.ts';

const limitMs = 5000;
const pollMs = 50;

/**
 * Waits for the processes of a service that was killed: they end by themselves, but keep their ports for that long.
 * What is left after 5 s is killed. Answers the names of all of them.
 */
export async function awaitOrphans(left: RunningState | undefined, signal: AbortSignal): Promise<readonly string[]> {
  const children = left?.children ?? [];
  const until = Date.now() + limitMs;
  for (const { pid, startTime } of children) {
    while ((await processStartTime(pid)) === startTime) {
      if (Date.now() > until) killProcess(pid);
      await sleep(pollMs, undefined, { signal });
    }
  }
  return children.map(({ name }) => name);
}
