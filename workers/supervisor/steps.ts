/**
 * An ordered start and its reverse. Each part of the service is a step. Steps start one after the other; a later step
 * uses the values of earlier ones.
 *
 * A stop may come at any time, also during the start, and runs in three phases:
 * 1. No further step starts. Every step that has started drains, the last one first: it ends the work in progress. This
 * includes the processes that a later step may be waiting for, so a start in progress does not wait for them in vain.
 * 2. The step that is still starting finishes or fails. An abort signal interrupts its longer waits.
 * 3. Every step that has started stops, the last one first: it releases what it holds, such as the database connection.
 *
 * A start that fails is stopped in the same way. A step whose `start` fails cleans up after itself.
 */

export interface Step {
  start(): Promise<void>;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export interface StepOptions<T> {
  /** Its value is for later steps, and for `drain` and `stop`. */
  readonly start: () => T | Promise<T>;
  /** Ends the work in progress. Requires a `start` that takes no time: a step that is still starting does not drain. */
  readonly drain?: (value: T) => Promise<void>;
  /** Releases what `start` opened. Runs when no step is starting and all steps have drained. */
  readonly stop?: (value: T) => Promise<void>;
}

export interface StepWithValue<T> extends Step {
  /** Undefined until the step has started. */
  readonly current: T | undefined;
  /** Throws if the step has not started. */
  readonly value: T;
}

export function createStep<T>({ start, drain, stop }: StepOptions<T>): StepWithValue<T> {
  let started: { readonly value: T } | undefined;
  return {
    async start() {
      const value = start();
      // Without `await` if possible: a step that takes no time must be seen by a stop in the same turn.
      started = { value: value instanceof Promise ? await value : value };
    },
    async drain() {
      if (started) await drain?.(started.value);
    },
    async stop() {
      if (started) await stop?.(started.value);
    },
    get current() {
      return started?.value;
    },
    get value() {
      if (!started) throw new Error('a step was used before it had started');
      return started.value;
    },
  };
}

export interface RunningSteps {
  /**
   * Resolves when all steps have started. Rejects with the error of the first step that fails, or if `signal` aborts.
   */
  readonly started: Promise<void>;
  /** Abort `signal` first. */
  stop(): Promise<void>;
}

export function startSteps(steps: readonly Step[], signal: AbortSignal): RunningSteps {
  /** The latest first. */
  const begun: Step[] = [];
  const started = startAll();
  started.catch(() => undefined); // The caller handles it.

  async function startAll(): Promise<void> {
    for (const step of steps) {
      signal.throwIfAborted();
      begun.unshift(step);
      await step.start();
    }
  }

  return {
    started,
    async stop() {
      for (const step of begun) await step.drain();
      await started.catch(() => undefined);
      for (const step of begun) await step.stop();
    },
  };
}
