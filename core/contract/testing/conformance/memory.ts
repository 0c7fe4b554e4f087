/**
 * The caches of a run. A value that an adapter learns from `standing` answers alone is learnt once for all calls and
 * callbacks, so that a slow check of a key or a certificate runs once. A value that it learns from the answers of a
 * sample belongs to that call.
 */
import type { ProviderCache, Remembered } from '../../provider.ts';
import { simpleCache } from '../scripted-provider.ts';

export interface Memory {
  /**
   * The cache of one call. Calls of the same scope share it. `countSent` counts the requests of the call that were not
   * answered by `standing`.
   */
  cacheFor(scope: unknown, now: Date, countSent?: () => number): ProviderCache;
}

interface Learnt extends Remembered<unknown> {
  /** The clock of the call that learnt it: an earlier call must not know it yet. */
  readonly from: Date;
}

export function createMemory(): Memory {
  const shared = new Map<string, Learnt>();
  return {
    cacheFor(scope, now, countSent = () => 0) {
      const own = simpleCache(() => now);
      const nameOf = (key: string): string => JSON.stringify([scope, key]);
      return {
        ...own,
        async remember<T>(key: string, load: () => Promise<Remembered<T>>): Promise<T> {
          const found = shared.get(nameOf(key));
          if (found && found.from <= now && found.until > now) return found.value as T;
          return own.remember(key, async () => {
            const before = countSent();
            const loaded = await load();
            if (countSent() === before) shared.set(nameOf(key), { ...loaded, from: now });
            return loaded;
          });
        },
        forget(key, value) {
          const name = nameOf(key);
          if (value === undefined || shared.get(name)?.value === value) shared.delete(name);
          own.forget(key, value);
        },
      };
    },
  };
}
