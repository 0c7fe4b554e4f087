/** Decides when a worker runs one of its jobs if no wake-up arrives. */
import type { WorkDone } from './job.ts';

export interface JobTimer {
  /**
   * Sets the timer to the time when the next work is due. If work is due but cannot be done now, the wait grows as it
   * does after failures. If the result has no such time, the timer stays unchanged.
   */
  finished(result: WorkDone): void;
  /** Sets the timer for a retry: after 100 ms at first, then twice the previous wait, at most 5 s. */
  failed(): void;
  /** Stops the timer permanently. */
  stop(): void;
}

type SetTimer = (run: () => void, ms: number) => NodeJS.Timeout;

const firstRetryMs = 100;
const maxRetryMs = 5000;
/** Maximum time that the timer is set for, because timers drift. Agenda repeats every job anyway. */
const maxTimerMs = 3_600_000;
/** Node's timers count whole milliseconds of their own clock, so they may fire up to one millisecond early. */
const maxEarlyMs = 1;

export function createJobTimer(
  run: () => void,
  { now = Date.now, setTimer = setTimeout }: { now?: () => number; setTimer?: SetTimer } = {},
): JobTimer {
  let timer: NodeJS.Timeout | undefined;
  let idleRuns = 0;
  let isStopped = false;

  function runAfter(ms: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimer(run, Math.min(ms, maxTimerMs));
  }
  function runLater(): void {
    runAfter(Math.min(firstRetryMs * 2 ** idleRuns, maxRetryMs));
    idleRuns = Math.min(idleRuns + 1, 10);
  }

  return {
    finished({ done, more, nextDueAt }) {
      const ms = more ? 0 : nextDueAt && nextDueAt.getTime() - now();
      if (done > 0 || ms === undefined || ms > 0) idleRuns = 0;
      if (ms === undefined) return;
      // Work is due but was not done: another worker holds it, or a receiver has reached its limit of deliveries.
      if (ms <= 0 && done === 0) runLater();
      else runAfter(ms > 0 ? ms + maxEarlyMs : 0);
    },
    failed: runLater,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
