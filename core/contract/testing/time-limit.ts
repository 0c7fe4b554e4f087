/** The time that an adapter has for one answer in a test. A script answers immediately, so this limit means never. */
export const callLimitMs = 2_000;

/** Rejects if the work takes longer than the limit; leaves no timer behind. */
export async function withinLimit<T>(work: () => T | Promise<T>, limitMs = callLimitMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const say = () => reject(new Error(`gave no answer within ${limitMs} ms: await the answer and return it`));
    timer = setTimeout(say, limitMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
