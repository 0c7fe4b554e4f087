/** The small cache that adapters get. The contract's `ProviderCache` describes its guarantees. */
import type { ProviderCache, Remembered } from '@paywright/contract';
import { defaultLoadsPerMinute } from '@paywright/contract/core';
import { LRUCache } from 'lru-cache';
import { withTimeLimit } from '../../base/async/time-limit.ts';
import { ProviderHttpError } from './http/provider-http.ts';

export interface ProviderCacheOptions {
  readonly now: () => Date;
  /** Maximum number of entries. Beyond it, the least recently used entry is dropped. Default 1000. */
  readonly maxEntries?: number;
  /**
   * Maximum number of loads in any 60 s, over all keys, for each of the two caches. Failed loads count. Default:
   * `defaultLoadsPerMinute`.
   */
  readonly loadsPerMinute?: number | undefined;
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
  loadsPerMinute = defaultLoadsPerMinute,
  loadTimeoutMs = 30_000,
}: ProviderCacheOptions): ProviderCaches {
  const entries = new LRUCache<string, Entry>({ max: maxEntries });
  const loading = new Map<string, Promise<unknown>>();

  async function load<T>(key: string, loader: () => Promise<Remembered<T>>): Promise<T> {
    const loaded = await withTimeLimit(loadTimeoutMs, async () => loader());
    const { value } = loaded;
    entries.set(key, loaded);
    return value;
  }

  async function remember<T>(key: string, loader: () => Promise<Remembered<T>>, budget: Budget): Promise<T> {
    const running = loading.get(key);
    if (running) return running as Promise<T>;
    const kept = entries.get(key);
    if (kept && kept !== 'forgotten' && kept.until > now()) return kept.value as T;
    if (kept !== 'forgotten' && !budget.take())
      throw new ProviderHttpError('not_sent', `more than ${loadsPerMinute} loads in a minute`);
    entries.delete(key);
    const started = load(key, loader).finally(() => loading.delete(key));
    loading.set(key, started);
    return started;
  }

  function createCache(): ProviderCache {
    const budget = createBudget(loadsPerMinute, now);
    return {
      remember(key, loader) {
        const value = remember(key, loader, budget);
        // A failed load must not end the process if the adapter does not wait for it.
        value.catch(() => undefined);
        return value;
      },
      forget(key, value) {
        const kept = entries.get(key);
        if (!kept || kept === 'forgotten' || (value !== undefined && value !== kept.value)) return;
        if (budget.take()) entries.set(key, 'forgotten');
      },
    };
  }

  return { forCalls: createCache(), forVerification: createCache() };
}

/**
 * `forgotten`: the next load is already counted in the budget of the cache that forgot the value. Otherwise forged
 * callbacks could use up the loads of our own calls.
 */
type Entry = Remembered<unknown> | 'forgotten';

interface Budget {
  /** Uses up one load of this minute. False if none is left. */
  readonly take: () => boolean;
}

function createBudget(perMinute: number, now: () => Date): Budget {
  let taken: number[] = [];
  return {
    take() {
      const time = now().getTime();
      taken = taken.filter((at) => at > time - 60_000);
      if (taken.length >= perMinute) return false;
      taken.push(time);
      return true;
    },
  };
}
