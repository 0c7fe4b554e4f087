/** Time limits for work that may never end. */

export class TimeLimitError extends Error {
  constructor(ms: number) {
    super(`took longer than ${ms} ms`);
    this.name = 'TimeLimitError';
  }
}

/** One for all: an Error is dear to make, and hardly any work listens. */
const ended = new Error('the call has ended');

/**
 * What `work` gives, or a TimeLimitError; what it gives at once has no limit. The signal is aborted as soon as the time is up *or the work has ended*, so
 * what the work was given ends with it.
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
