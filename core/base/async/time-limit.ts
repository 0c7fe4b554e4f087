/** Time limits for work that may never end. */

export class TimeLimitError extends Error {
  constructor(ms: number) {
    super(`took longer than ${ms} ms`);
    this.name = 'TimeLimitError';
  }
}

/** One shared reason, because creating an Error is expensive and hardly any work listens to the signal. */
const ended = new Error('the call has ended');

/**
 * Returns the result of `work`, or rejects with a TimeLimitError. A synchronous result has no limit. The signal is
 * aborted when the time is up *or the work has ended*, so everything that received the signal ends with it.
 */
export async function withTimeLimit<T>(ms: number, work: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
  const controller = new AbortController();
  const working = work(controller.signal);
  if (!(working instanceof Promise)) return working;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError(ms)), ms);
  });
  try {
    return await Promise.race([working, limit]);
  } finally {
    clearTimeout(timer);
    controller.abort(ended);
  }
}
