import type { JobName } from './names.ts';

/** The result of one run of a job. */
export interface WorkDone {
  readonly done: number;
  /** The limit of the run was reached: run the job again immediately. */
  readonly more: boolean;
  /** When something becomes due without a wake-up. */
  readonly nextDueAt?: Date | undefined;
}

/**
 * One kind of background work on a gateway `G`, with one run at a time per worker. An extra run, or a missed one,
 * changes only when the work is done.
 */
export interface Job<G> {
  readonly name: JobName;
  /** The interval of its repetition, whether or not other runs are requested in between. */
  readonly everyMs: number;
  /** Age at which its lock counts as the lock of a dead worker. A running job renews it. */
  readonly lockLifetimeMs: number;
  /** Requested runs start at least this far apart: what comes in between is done together. */
  readonly paceMs?: number;
  /** Must end soon after the signal. */
  run(gateway: G, signal: AbortSignal): Promise<WorkDone>;
  /**
   * Called if a run is requested during a run. True: the run in progress polls once more. Otherwise another run
   * follows.
   */
  pollSoon?(gateway: G): boolean;
}
