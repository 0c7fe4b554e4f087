/**
 * The caches of a run. A value that an adapter learns from `standing` answers alone is learnt once for all calls and
 * callbacks, so that a slow check of a key or a certificate runs once. A value that it learns from the answers of a
 * sample belongs to that call.
 */
import type { ProviderCache, Remembered } from '../../provider.ts';
import { simpleCache } from '../scripted-provider.ts';

export interface Memory {
  /**
   * The cache of one call. Calls share it if they have the same scope and the same clock. `countSent` counts the
   * requests of the call that `standing` did not answer.
   */
  cacheFor(scope: unknown, now: Date, countSent?: () => number): ProviderCache;
}

export function createMemory(): Memory {
  const shared = new Map<string, Remembered<unknown>>();
  return {
    cacheFor(scope, now, countSent = () => 0) {
      const own = simpleCache(() => now);
      const prefix = JSON.stringify([scope, now]);
      return {
        ...own,
        async remember<T>(key: string, load: () => Promise<Remembered<T>>): Promise<T> {
          const name = `${prefix} ${key}`;
          const found = shared.get(name);
          if (found && found.until > now) return found.value as T;
          return own.remember(key, async () => {
            const before = countSent();
            const loaded = await load();
            if (countSent() === before) shared.set(name, loaded);
            return loaded;
          });
        },
      };
    },
  };
}
