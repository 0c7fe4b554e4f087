import type { JobName } from './names.ts';

/** The result of one run of a job. */
export interface WorkDone {
  readonly done: number;
  /** The limit of the run was reached: run the job again immediately. */
  readonly more: boolean;
  /** When the next work becomes due. No wake-up announces it, so the worker sets a timer. */
  readonly nextDueAt?: Date | undefined;
}

/**
 * One kind of background work on a gateway `G`. A worker runs it once at a time. An extra or a missed run affects only
 * when the work is done, never its result.
 */
export interface Job<G> {
  readonly name: JobName;
  /**
   * The supervisor requests a run every 10 s, which finds work that no notification announced. Agenda then only makes
   * sure that it runs.
   */
  readonly isSwept?: boolean;
  /** The interval at which Agenda runs it. Requested runs in between do not change the interval. */
  readonly everyMs: number;
  /** The age at which its lock counts as the lock of a dead worker. A running job renews its lock. */
  readonly lockLifetimeMs: number;
  /**
   * Minimum time from the start of a run that did this much to the start of the next requested one. Work that arrives
   * in between is done in one run.
   */
  paceMs?(done: number): number;
  /** Must return soon after the signal is aborted. */
  run(gateway: G, signal: AbortSignal): Promise<WorkDone>;
  /**
   * Called if a run is requested while the job runs. Returns true if the run in progress polls once more. Otherwise
   * another run follows.
   */
  pollSoon?(gateway: G): boolean;
}
