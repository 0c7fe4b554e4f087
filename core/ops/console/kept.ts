/** What several pages and many readers show, read once for all of them. */
export type Read<T> = () => Promise<T>;

/** Gives what was read less than `keepMs` ago, else reads it: one read at a time. */
export function createKept<T>(read: Read<T>, keepMs: number): Read<T> {
  let kept: { readonly value: T; readonly at: number } | undefined;
  let reading: Promise<T> | undefined;

  async function readNow(): Promise<T> {
    const value = await read();
    kept = { value, at: performance.now() };
    return value;
  }

  return async () => {
    if (kept && performance.now() - kept.at < keepMs) return kept.value;
    reading ??= readNow().finally(() => (reading = undefined));
    return reading;
  };
}
