/** Decides when a worker runs one of its jobs without a wake-up. */
import type { WorkDone } from './job.ts';

export interface JobTimer {
  /**
   * Sets the timer for the time when the next thing is due, and further away each time if what is due cannot be done.
   * Without such a time, the timer stays unchanged.
   */
  finished(result: WorkDone): void;
  /** Sets the timer for a retry: after 100 ms, then twice as long each time, at most 5 s. */
  failed(): void;
  /** Stops the timer permanently. */
  end(): void;
}

type SetTimer = (run: () => void, ms: number) => NodeJS.Timeout;

const shortestMs = 100;
const longestWaitMs = 5000;
/** An upper limit, because timers drift. Every job repeats anyway. */
const farthestMs = 3_600_000;
/** Node's timers count whole milliseconds of their own clock, and so may fire up to one millisecond early. */
const earlyMs = 1;

export function createJobTimer(
  run: () => void,
  { now = Date.now, setTimer = setTimeout }: { now?: () => number; setTimer?: SetTimer } = {},
): JobTimer {
  let timer: NodeJS.Timeout | undefined;
  let fruitless = 0;
  let ended = false;

  function after(ms: number): void {
    clearTimeout(timer);
    if (!ended) timer = setTimer(run, Math.min(ms, farthestMs));
  }
  function later(): void {
    after(Math.min(shortestMs * 2 ** fruitless, longestWaitMs));
    fruitless = Math.min(fruitless + 1, 10);
  }

  return {
    finished({ done, more, nextDueAt }) {
      const ms = more ? 0 : nextDueAt && nextDueAt.getTime() - now();
      if (done > 0 || ms === undefined || ms > 0) fruitless = 0;
      if (ms === undefined) return;
      // Due but not done: another worker holds it, or a receiver has reached its limit of deliveries.
      if (ms <= 0 && done === 0) later();
      else after(ms > 0 ? ms + earlyMs : 0);
    },
    failed: later,
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}
