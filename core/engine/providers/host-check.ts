/** Finds adapters whose host has no address: each of their payments would end as PAY005. */
import { lookup } from 'node:dns/promises';
import { baseUrlOf, sidesOf } from './adapter-context.ts';
import type { Registry } from './registry.ts';
import { MINUTE } from '../../base/async/time.ts';

export type Resolve = (hostname: string) => Promise<unknown>;

export interface HostCheckDeps {
  readonly registry: Registry;
  readonly liveKeys: boolean;
  readonly now: () => number;
  readonly resolve?: Resolve;
}

export interface HostCheck {
  /**
   * A sentence per adapter, as of at most a minute ago; it names no address, for strangers may read it. Never waits:
   * the name server is asked meanwhile, and its news is in a later answer.
   */
  warnings(): readonly string[];
  /** Resolves once the name server has answered. */
  settled(): Promise<void>;
}

const freshMs = MINUTE;

/** Undefined: the host has an address. */
export async function hostProblem(address: string, resolve: Resolve = lookup): Promise<string | undefined> {
  const { hostname } = new URL(address);
  try {
    await resolve(hostname.replace(/^\[(.*)\]$/, '$1'));
    return undefined;
  } catch (error) {
    const { code = 'no reason' } = error as NodeJS.ErrnoException;
    return `its host does not resolve (${code})`;
  }
}

export function createHostCheck({ registry, liveKeys, now, resolve = lookup }: HostCheckDeps): HostCheck {
  let found: readonly string[] = [];
  let askedAt = -Infinity;
  let asking = Promise.resolve();

  /** Checks hosts one after another: a name server that hangs blocks one of the few threads for lookups. */
  async function ask(): Promise<void> {
    const warnings: string[] = [];
    for (const { name } of registry.all()) {
      const active = registry.byName(name);
      if (!active) continue;
      for (const sandbox of sidesOf(active, { liveKeys })) {
        const problem = await hostProblem(baseUrlOf(active, sandbox), resolve);
        if (problem) warnings.push(`${name} (${sandbox ? 'test' : 'live'}): ${problem}`);
      }
    }
    found = warnings;
  }

  return {
    warnings() {
      if (now() - askedAt >= freshMs) {
        askedAt = now();
        asking = asking.then(ask);
      }
      return found;
    },
    settled: async () => asking,
  };
}
