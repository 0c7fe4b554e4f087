/** The vault's options and answers; the harness makes the payment, the calls and the callbacks. */
import type { HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import token from '../index.ts';

export const harness = createAdapterHarness(token, {
  options: {
    baseUrl: 'https://vault.example',
    sandboxBaseUrl: 'https://sandbox.vault.example',
    merchantId: 'V-1',
    apiKey: 'vk_test_0f3a',
    hookSecrets: [1, 2].map((byte) => `tks_${Buffer.alloc(32, byte).toString('base64')}`),
    callbackUrl: 'https://pay.shop.example:8443/hooks/token/',
  },
  now: new Date('2026-03-02T09:15:30.000Z'),
  input: 'token',
  submission: { token: 'tok_approved' },
  stored: { providerReference: 'ch_1' },
});

/** A whole reply about the sample payment. */
export function whole(charge: Readonly<Record<string, unknown>>, step: unknown = null): Record<string, unknown> {
  return {
    charge: { id: 'ch_1', ref: 'GW-10042-1', mid: 'V-1', minor: 2590, cur: 'EUR', why: null, ...charge },
    token: { handle: 'th_1', brand: 'visa', last4: '1111', expires: '2029-12' },
    step,
  };
}

export function error(status: number, code: string, more: Readonly<Record<string, unknown>> = {}): HttpReply {
  return reply(status, { error: { code, ...more } });
}
