import type { JobName } from './names.ts';

/** What one run of a job came to. */
export interface WorkDone {
  readonly done: number;
  /** The run's limit was reached: run it again at once. */
  readonly more: boolean;
  /** When something becomes due by itself. */
  readonly nextDueAt?: Date | undefined;
}

/**
 * One kind of background work on a gateway `G`, one run at a time in a worker. Running it once too often, or not at all,
 * changes nothing but the moment.
 */
export interface Job<G> {
  readonly name: JobName;
  /** It repeats after so many milliseconds, whether or not somebody asks for a run in between. */
  readonly everyMs: number;
  /** Age at which its lock counts as a dead worker's; a running job renews it. */
  readonly lockLifetimeMs: number;
  /** Runs that are asked for one right after another begin at least so far apart: what comes in between is done together. */
  readonly paceMs?: number;
  /** Ends soon after the signal. */
  run(gateway: G, signal: AbortSignal): Promise<WorkDone>;
  /** Somebody asks for a run during one: true where that one looks once more. Else another one follows it. */
  pollSoon?(gateway: G): boolean;
}
