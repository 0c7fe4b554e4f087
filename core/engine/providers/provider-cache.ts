/** The small cache that adapters get. The contract's `ProviderCache` describes its guarantees. */
import type { ProviderCache, Remembered } from '@paywright/contract';
import { LRUCache } from 'lru-cache';
import { withTimeLimit } from '../../base/async/time-limit.ts';

export interface ProviderCacheOptions {
  readonly now: () => Date;
  /** Maximum number of entries. Beyond it, the least recently used entry is dropped. Default 1000. */
  readonly maxEntries?: number;
  /** Maximum number of loads in any 60 s, over all keys, for each of the two caches. Failed loads count. Default 30. */
  readonly loadsPerMinute?: number;
  readonly loadTimeoutMs?: number;
}

/**
 * Two caches that share their entries but have separate load budgets. Unverified callbacks use up only the budget of
 * verification, so outsiders can never block the loads of our own calls.
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
}: ProviderCacheOptions): ProviderCaches {
  const entries = new LRUCache<string, Remembered<unknown>>({ max: maxEntries });
  const loading = new Map<string, Promise<unknown>>();

  /** Returns a function that throws once the budget of this minute is used up. */
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
    return value;
  }

  async function remember<T>(key: string, loader: () => Promise<Remembered<T>>, spend: () => void): Promise<T> {
    const kept = entries.get(key) as Remembered<T> | undefined;
    if (kept && kept.until > now()) return kept.value;
    entries.delete(key);
    const running = loading.get(key) ?? load(key, loader, spend).finally(() => loading.delete(key));
    loading.set(key, running);
    return running as Promise<T>;
  }

  function createCache(): ProviderCache {
    const spend = createBudget();
    return {
      remember(key, loader) {
        const value = remember(key, loader, spend);
        // A failed load must not end the process if the adapter does not wait for it.
        value.catch(() => undefined);
        return value;
      },
    };
  }

  return { forCalls: createCache(), forVerification: createCache() };
}
