/** A's options and messages; the harness makes the payment, the calls and the callbacks. */
import type { HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import providerA from '../index.ts';

export const harness = createAdapterHarness(providerA, {
  options: {
    baseUrl: 'https://api.provider-a.example',
    sandboxBaseUrl: 'https://sandbox.provider-a.example',
    account: 'GatewayEU',
    apiKey: 'aak_test_2f7c91d04be6',
    itemKeys: ['3c'.repeat(32), 'a0'.repeat(32), 'b1'.repeat(32)],
    returnKeys: ['ret-test-8d21f47c0be9', 'ret-test-old-8d21f4'],
    sealKeys: ['ask_test_5b0e77a1c94d', 'ask_test_old'],
    refundKeys: ['rfk-test-c7a95e1f3b20', 'rfk-test-old-c7a95e'],
  },
  now: new Date('2026-03-02T09:15:30.000Z'),
  stored: { providerReference: 'A-7H2K9Q' },
});

/** A's answer to a charge of the sample payment. */
export function charge(state: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { txn: 'A-7H2K9Q', ref: 'GW-10042-1', state, sum: { minor: 2590, cur: 'EUR' }, ...more };
}

export function error(status: number, code: string, more: Readonly<Record<string, unknown>> = {}): HttpReply {
  return reply(status, { error: { code, text: 'for people', ...more } });
}
