/** Time limits for work that may never end. */

export class TimeLimitError extends Error {
  constructor(ms: number) {
    super(`took longer than ${ms} ms`);
    this.name = 'TimeLimitError';
  }
}

/**
 * What `work` gives, or a TimeLimitError. The signal is aborted as soon as the time is up *or the work has ended*, so
 * what the work was given ends with it.
 */
export async function withTimeLimit<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError(ms)), ms);
  });
  try {
    return await Promise.race([work(controller.signal), limit]);
  } finally {
    clearTimeout(timer);
    controller.abort(new Error('the call has ended'));
  }
}
