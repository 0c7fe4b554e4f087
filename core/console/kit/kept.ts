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

/** The same of each of several, such as of each adapter. */
export function createKeptOf<T>(read: (name: string) => Promise<T>, keepMs: number): (name: string) => Promise<T> {
  const kept = new Map<string, Read<T>>();
  return async (name) => {
    const own = kept.get(name) ?? createKept(async () => read(name), keepMs);
    kept.set(name, own);
    return own();
  };
}
