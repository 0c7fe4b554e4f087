/** Caches a value that many pages and readers show, so that it is read once for all of them. */
export type Read<T> = () => Promise<T>;

/** Returns the cached value if it is younger than `maxAgeMs`. Otherwise it reads the value, with one read at a time. */
export function createCachedRead<T>(read: Read<T>, maxAgeMs: number): Read<T> {
  let cached: { readonly value: T; readonly at: number } | undefined;
  let reading: Promise<T> | undefined;

  async function readNow(): Promise<T> {
    const value = await read();
    cached = { value, at: performance.now() };
    return value;
  }

  return async () => {
    if (cached && performance.now() - cached.at < maxAgeMs) return cached.value;
    reading ??= readNow().finally(() => (reading = undefined));
    return reading;
  };
}

/** Caches one value per name, for example per adapter. */
export function createCachedReads<T>(
  read: (name: string) => Promise<T>,
  maxAgeMs: number,
): (name: string) => Promise<T> {
  const reads = new Map<string, Read<T>>();
  return async (name) => {
    const own = reads.get(name) ?? createCachedRead(async () => read(name), maxAgeMs);
    reads.set(name, own);
    return own();
  };
}
