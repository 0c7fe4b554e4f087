/** Reads stored callbacks once more, by the adapters as they are now and the clock as it was then. Nothing is sent or stored. */
import type { RawCallback } from '@paywright/contract';
import { pino } from 'pino';
import { createProviderCalls, type MappedEvent, type Registry } from '../providers/index.ts';
import type { ProviderCallsDeps } from '../providers/calls.ts';

export interface Rereading {
  /** `path` begins after `/callbacks/`. `refused`: no adapter reads it, and why in a word or two. */
  read(
    raw: RawCallback,
    path: string,
  ): Promise<{ readonly events: readonly MappedEvent[] } | { readonly refused: string }>;
  close(): void;
}

export interface RereadingSetup {
  readonly registry: Registry;
  /** Config's section `provider`. */
  readonly config: ProviderCallsDeps['config'];
  readonly publicUrl: string;
  /** Which side callbacks belong to in this environment. */
  readonly callbackSandbox: boolean;
}

export function createRereading(setup: RereadingSetup): Rereading {
  const { registry } = setup;
  let receivedAt = new Date();
  const calls = createProviderCalls({
    ...setup,
    // A signature is as old as it was when the callback came.
    now: () => receivedAt,
    log: pino({ level: 'silent' }),
    transcript: () => undefined,
  });
  return {
    async read(raw, path) {
      receivedAt = raw.receivedAt;
      const found = registry.route(raw.method, path);
      if (!found) return { refused: 'no such route' };
      const { verdict, ...by } = await calls.verify(found, raw);
      if (!('verified' in verdict)) return { refused: verdict.verdict };
      const parsed = calls.parse(found, verdict.verified, by);
      return 'malformed' in parsed ? { refused: 'malformed' } : { events: parsed.events };
    },
    close: () => calls.close(),
  };
}
