import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningState } from './kept-state.ts';
import { processStartTime, killProcess } from './processes.ts';

const limitMs = 5000;
const pollMs = 50;

/**
 * Waits for the processes of a killed service: they exit automatically, but keep their ports until then. Processes that
 * still run after 5 s are killed. Returns the names of all of them.
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
