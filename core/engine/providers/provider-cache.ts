/** The small memory that adapters are given; see `ProviderCache` of the contract for its promises. */
import type { ProviderCache, Remembered } from '@paywright/contract';
import { withTimeLimit } from '../../base/async/time-limit.ts';

export interface ProviderCacheSetup {
  readonly now: () => Date;
  /** The least recently used goes first. */
  readonly maxEntries?: number;
  /** In any 60 s, over all keys, of each of the two; failed ones count. */
  readonly loadsPerMinute?: number;
  readonly loadTimeoutMs?: number;
}

/**
 * One memory. What strangers' callbacks make us load is counted apart, so that they never keep our own calls waiting.
 */
export interface ProviderCaches {
  readonly forCalls: ProviderCache;
  readonly forVerification: ProviderCache;
}

export function createProviderCaches({
  now,
  maxEntries = 1000,
  loadsPerMinute = 30,
  loadTimeoutMs = 30_000,
}: ProviderCacheSetup): ProviderCaches {
  const entries = new Map<string, Remembered<unknown>>();
  const loading = new Map<string, Promise<unknown>>();

  /** Throws where the budget of this minute is used up. */
  function createBudget(): () => void {
    let loads: number[] = [];
    return () => {
      const time = now().getTime();
      loads = loads.filter((at) => at > time - 60_000);
      if (loads.length >= loadsPerMinute) throw new Error(`more than ${loadsPerMinute} loads in a minute`);
      loads.push(time);
    };
  }

  async function load<T>(key: string, loader: () => Promise<Remembered<T>>, spend: () => void): Promise<T> {
    spend();
    const loaded = await withTimeLimit(loadTimeoutMs, async () => loader());
    const { value } = loaded;
    entries.set(key, loaded);
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value!);
    return value;
  }

  async function remember<T>(key: string, loader: () => Promise<Remembered<T>>, spend: () => void): Promise<T> {
    const kept = entries.get(key) as Remembered<T> | undefined;
    entries.delete(key);
    if (kept && kept.until > now()) {
      entries.set(key, kept); // now the most recently used
      return kept.value;
    }
    const running = loading.get(key) ?? load(key, loader, spend).finally(() => loading.delete(key));
    loading.set(key, running);
    return running as Promise<T>;
  }

  function createCache(): ProviderCache {
    const spend = createBudget();
    return {
      remember(key, loader) {
        const value = remember(key, loader, spend);
        // An adapter that does not wait for it must not end the process when it fails.
        value.catch(() => undefined);
        return value;
      },
    };
  }

  return { forCalls: createCache(), forVerification: createCache() };
}
