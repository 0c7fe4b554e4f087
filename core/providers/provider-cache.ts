/** The small memory that adapters are lent; see `ProviderCache` of the contract for its promises. */
import type { ProviderCache, Remembered } from '@gateway/contract';
import { withTimeLimit } from './time-limit.ts';

export interface ProviderCacheSetup {
  readonly now: () => Date;
  /** The least recently used goes first. */
  readonly maxEntries?: number;
  /** In any 60 s, over all keys; failed ones count. */
  readonly loadsPerMinute?: number;
  readonly loadTimeoutMs?: number;
}

export function createProviderCache({
  now,
  maxEntries = 1000,
  loadsPerMinute = 30,
  loadTimeoutMs = 30_000,
}: ProviderCacheSetup): ProviderCache {
  const entries = new Map<string, Remembered<unknown>>();
  const loading = new Map<string, Promise<unknown>>();
  let loads: number[] = [];

  async function load<T>(key: string, loader: () => Promise<Remembered<T>>): Promise<T> {
    const time = now().getTime();
    loads = loads.filter((at) => at > time - 60_000);
    if (loads.length >= loadsPerMinute) throw new Error(`more than ${loadsPerMinute} loads in a minute`);
    loads.push(time);
    const loaded = await withTimeLimit(loadTimeoutMs, async () => loader());
    const { value } = loaded;
    entries.set(key, loaded);
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value!);
    return value;
  }

  async function remember<T>(key: string, loader: () => Promise<Remembered<T>>): Promise<T> {
    const kept = entries.get(key) as Remembered<T> | undefined;
    entries.delete(key);
    if (kept && kept.until > now()) {
      entries.set(key, kept); // now the most recently used
      return kept.value;
    }
    const running = loading.get(key) ?? load(key, loader).finally(() => loading.delete(key));
    loading.set(key, running);
    return running as Promise<T>;
  }

  return {
    remember(key, loader) {
      const value = remember(key, loader);
      // An adapter that does not wait for it must not end the process when it fails.
      value.catch(() => undefined);
      return value;
    },
  };
}
