/** F's options and answers; the harness makes the payment, the calls and the callbacks. */
import type { HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import providerF from '../index.ts';

export const dealId = 'd_7Qm2Zx81';

export const harness = createAdapterHarness(providerF, {
  options: {
    baseUrl: 'https://api.provider-f.example',
    sandboxBaseUrl: 'https://sandbox.provider-f.example:8443',
    shopId: 'shop-5',
    apiToken: 'f_tok_test_0123456789',
    pingSecrets: ['ping-secret-of-now', 'ping-secret-of-before'],
    requireSignedPing: false,
  },
  now: new Date('2026-03-01T10:00:10.000Z'),
  input: 'billing',
  stored: { providerReference: dealId },
});

export type Members = Readonly<Record<string, unknown>>;

/** A deal about the sample payment. */
export function deal(members: Members = {}): Members {
  return {
    id: dealId,
    shop: 'shop-5',
    ref: 'GW-10042-1',
    phase: 'settled',
    mark: 2,
    gross: { v: '25.90', c: 'EUR' },
    returned: '0.00',
    clawed: '0.00',
    claim: 'none',
    why: null,
    at: '2026-03-01T10:00:05Z',
    ...members,
  };
}

export const shows = (members: Members = {}, status = 200): HttpReply => reply(status, { deal: deal(members) });

export const fault = (status: number, code: string, started?: unknown): HttpReply =>
  reply(status, { fault: { code, message: 'for people', ...(started === undefined ? {} : { started }) } });

/** Members that make an answer about a deal unreadable, for any call. */
export const unreadable: readonly (readonly [what: string, members: Members])[] = [
  ['another shop', { shop: 'shop-6' }],
  ['no shop', { shop: undefined }],
  ['another reference', { ref: 'GW-10042-2' }],
  ['no id', { id: undefined }],
  ['an id of five characters', { id: 'd_12345' }],
  ['an id of 41 characters', { id: `d_${'1'.repeat(41)}` }],
  ['an id that is a path', { id: 'd_1234567/../seen' }],
  ['no phase', { phase: undefined }],
  ['no mark', { mark: undefined }],
  ['a mark of 0', { mark: 0 }],
  ['a mark that is a text', { mark: '2' }],
  ['a mark that is no whole number', { mark: 1.5 }],
  ['no amount', { gross: undefined }],
  ['an amount that is a number', { gross: { v: 25.9, c: 'EUR' } }],
  ['an amount with a sign', { gross: { v: '-25.90', c: 'EUR' } }],
  ['no sum given back', { returned: undefined }],
  ['a sum given back that is none', { returned: 'all' }],
  ['a sum taken back that is none', { clawed: '' }],
  ['no claim', { claim: undefined }],
  ['a reason that is no text', { why: 5 }],
  ['a way for the payer that is no text', { goTo: 5 }],
];
