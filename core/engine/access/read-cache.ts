/** What was read from the database, kept in this process for a moment. */

export interface ReadCache<K, V> {
  /** The kept value, or a read of it: one at a time per key. Rejects as the read does. */
  get(key: K): Promise<V | undefined>;
  forget(key: K): void;
}

/**
 * Keeps a value for less than `keepMs`, counted from the beginning of its read. What does not exist and what could not
 * be read is not kept; past `maxEntries` the oldest goes.
 */
export function createReadCache<K, V>({
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
  const entries = new Map<K, { readonly startedAt: number; readonly value: Promise<V | undefined> }>();

  function start(key: K, startedAt: number): Promise<V | undefined> {
    const entry = { startedAt, value: read(key) };
    const drop = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    entries.delete(key);
    for (const oldest of entries.keys()) {
      if (entries.size < maxEntries) break;
      entries.delete(oldest);
    }
    entries.set(key, entry);
    entry.value.then((found) => found === undefined && drop(), drop);
    return entry.value;
  }

  return {
    get(key) {
      const at = now().getTime();
      const kept = entries.get(key);
      const age = at - (kept?.startedAt ?? -Infinity);
      // A negative age means that the clock was set back; such an entry would live on and on.
      return kept && age >= 0 && age < keepMs ? kept.value : start(key, at);
    },
    forget: (key) => void entries.delete(key),
  };
}
