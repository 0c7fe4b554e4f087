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
   * Returns one sentence per adapter and mode with a problem, from the latest check. It contains no address, because
   * outsiders may read it. Never waits: if the latest check is a minute old, a new one starts in the background, and a
   * later call returns its result.
   */
  warnings(): readonly string[];
  /** Resolves once the running check has ended. */
  settled(): Promise<void>;
}

const freshMs = MINUTE;

/** Explains why the host of an address cannot be resolved. Undefined if it can. */
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
  let checkedAt = -Infinity;
  let checking = Promise.resolve();

  /** Checks hosts one after another, because a lookup that hangs blocks one of Node's few threads for lookups. */
  async function check(): Promise<void> {
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
      if (now() - checkedAt >= freshMs) {
        checkedAt = now();
        checking = checking.then(check);
      }
      return found;
    },
    settled: async () => checking,
  };
}
