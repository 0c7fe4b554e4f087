/** B's options and messages; the harness makes the payment, the calls and the callbacks. */
import { writeForm, type AdapterContext, type HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import providerB from '../index.ts';
import type { Options } from '../options.ts';

export const keys = ['B7F3A1D0-test-44E2-9C58', 'B1090C77-test-old-5D21', 'B0000001-test-older-1A2B'] as const;

export const harness = createAdapterHarness(providerB, {
  options: {
    baseUrl: 'https://gate.provider-b.example',
    sandboxBaseUrl: 'https://sandbox.provider-b.example',
    endpoint: '4471',
    login: 'gateway-eu',
    controlKeys: keys,
  },
  now: new Date('2026-03-02T09:15:30.000Z'),
  stored: { providerReference: '8812003' },
});

/** Parameters of a message; undefined leaves one out. */
export type Parameters = Readonly<Record<string, string | undefined>>;

export const nothing = { outcome: 'failed', nothingCharged: true } as const;

/** An answer as B writes it: a line feed after each pair, `end=1` last. */
export function answer(kind: string, pairs: Parameters = {}): HttpReply {
  const all = { kind, b_txn: '8812003', gw_ref: 'GW-10042-1', ...pairs, end: '1' };
  return reply(200, writeForm(all).replaceAll('&', '\n&') + '\n');
}

export const problem = (code: string, more: Parameters = {}): HttpReply =>
  answer('problem', { b_txn: undefined, gw_ref: undefined, code, note: 'for people', ...more });

/** The fields that a call sends. */
export async function sent(call: (ctx: AdapterContext<Options>) => Promise<unknown>): Promise<URLSearchParams> {
  const { requests } = await harness.recordCall(reply(500), call);
  return new URLSearchParams(String(requests[0]?.body));
}
