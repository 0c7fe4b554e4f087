/** When a worker runs one of its jobs of its own accord. */
import type { WorkDone } from './job.ts';

export interface JobTimer {
  /**
   * Sets it for when the next thing is due; further away each time where what is due cannot be done. Where nobody says when,
   * it stays as it is.
   */
  finished(result: WorkDone): void;
  /** Sets it for another try: after 100 ms, then twice as long each time, 5 s at most. */
  failed(): void;
  /** Unsets it for good. */
  end(): void;
}

type SetTimer = (run: () => void, ms: number) => NodeJS.Timeout;

const shortestMs = 100;
const longestWaitMs = 5000;
/** Timers drift; and every job repeats by itself. */
const farthestMs = 3_600_000;
/** Node's timers count whole milliseconds of a clock of their own, and so fire up to one too early. */
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
      // Due, yet not done: another worker holds it, or a receiver has its limit of deliveries.
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
