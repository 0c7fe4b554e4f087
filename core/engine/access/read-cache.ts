/** Caches values from the database in this process for a short time. */
import { LRUCache } from 'lru-cache';

export interface ReadCache<K, V> {
  /** Returns the kept value, or reads it: one read at a time per key. Rejects like the read. */
  get(key: K): Promise<V | undefined>;
  forget(key: K): void;
}

/**
 * Keeps a value for less than `keepMs`, counted from the start of its read. Missing values and failed reads are not
 * kept. If there are more than `maxEntries`, the value that was read first is dropped, however often it is used.
 */
export function createReadCache<K extends string | number, V>({
  read,
  keepMs,
  maxEntries,
  now,
}: {
  readonly read: (key: K) => Promise<V | undefined>;
  readonly keepMs: number;
  readonly maxEntries: number;
  readonly now: () => Date;
}): ReadCache<K, V> {
  const entries = new LRUCache<K, { readonly startedAt: number; readonly value: Promise<V | undefined> }>({
    max: maxEntries,
  });

  function start(key: K, startedAt: number): Promise<V | undefined> {
    const entry = { startedAt, value: read(key) };
    const drop = () => {
      if (entries.peek(key) === entry) entries.delete(key);
    };
    entries.set(key, entry);
    entry.value.then((found) => found === undefined && drop(), drop);
    return entry.value;
  }

  return {
    get(key) {
      const at = now().getTime();
      const kept = entries.peek(key);
      const age = at - (kept?.startedAt ?? -Infinity);
      // A negative age means that the clock was set back. Such an entry would be kept for far too long.
      return kept && age >= 0 && age < keepMs ? kept.value : start(key, at);
    },
    forget: (key) => void entries.delete(key),
  };
}
