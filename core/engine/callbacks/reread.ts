/**
 * Reads stored callbacks again, with the adapters as they are now and the clock as it was then. Sends and stores
 * nothing.
 */
import type { RawCallback } from '@paywright/contract';
import { pino } from 'pino';
import { createProviderCalls, type MappedEvent, type Registry } from '../providers/index.ts';
import type { ProviderCallsDeps } from '../providers/calls.ts';
import { proveCallback, readEvents } from './prove-callback.ts';

export interface Rereading {
  /** `path` begins after `/callbacks/`. `refused`: why no adapter reads the callback, in a word or two. */
  read(
    raw: RawCallback,
    path: string,
  ): Promise<{ readonly events: readonly MappedEvent[] } | { readonly refused: string }>;
  close(): void;
}

export interface RereadingDeps {
  readonly registry: Registry;
  /** The section `provider` of config. */
  readonly config: ProviderCallsDeps['config'];
  readonly publicUrl: string;
  /** The mode to which callbacks belong in this environment. */
  readonly callbackSandbox: boolean;
}

export function createRereading(deps: RereadingDeps): Rereading {
  const { registry } = deps;
  let receivedAt = new Date();
  const calls = createProviderCalls({
    ...deps,
    // The age of a signature is checked against the time at which the callback arrived.
    now: () => receivedAt,
    log: pino({ level: 'silent' }),
    transcript: () => undefined,
  });
  return {
    async read(raw, path) {
      receivedAt = raw.receivedAt;
      const found = registry.route(raw.method, path);
      if (!found) return { refused: 'no such route' };
      // Without the database, only the account main may call the provider.
      const ownership = { accountNamedIn: async () => undefined };
      const proven = await proveCallback({ registry, calls, ownership }, found, raw);
      if (!('proofs' in proven)) return { refused: proven.verdict };
      const parsed = readEvents(calls, proven.proofs);
      return 'malformed' in parsed
        ? { refused: 'malformed' }
        : { events: parsed.groups.flatMap(({ events }) => events) };
    },
    close: () => calls.stop(),
  };
}
