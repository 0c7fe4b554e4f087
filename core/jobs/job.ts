import type { Gateway, WorkDone } from '../gateway.ts';
import type { JobName } from './names.ts';

/** One kind of background work. Running it once too often, or not at all, changes nothing but the moment. */
export interface Job {
  readonly name: JobName;
  /** It repeats after so many milliseconds, whatever wakes it in between. Absent: it only runs when woken. */
  readonly everyMs?: number;
  /** Runs under way in one worker. */
  readonly concurrency: number;
  /** Age at which its lock counts as a dead worker's; a running job renews it. */
  readonly lockLifetimeMs: number;
  /** Ends soon after the signal. */
  run(gateway: Pick<Gateway, 'work'>, signal: AbortSignal): Promise<WorkDone>;
}
