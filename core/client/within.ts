/** Time limits that end with the caller's signal and leave no timer behind. */

/** Runs work with a signal that aborts when the time is over or when the caller's signal aborts. */
export async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  run: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  signal?.throwIfAborted();
  const timer = setTimeout(() => controller.abort(new Error(`it took longer than ${ms} ms`)), ms);
  signal?.addEventListener('abort', abort);
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Waits; throws the reason of the caller's signal if that aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await within(ms, signal, async (limit) => {
    await new Promise((resolve) => {
      limit.addEventListener('abort', resolve);
    });
  });
  signal?.throwIfAborted();
}
