/** The coin server's options and answers; the harness makes the payment, the calls and the callbacks. */
import type { HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import coinServer from '../index.ts';
import type { Options } from '../options.ts';

export const harness = createAdapterHarness(coinServer, {
  options: {
    baseUrl: 'https://coins.example',
    sandboxBaseUrl: 'https://sandbox.coins.example',
    storeId: 'st_Test1',
    apiToken: 'tok_test_1',
    hookSecrets: ['hook-secret-nëw', 'hook-secret-old'],
  },
  now: new Date('2026-03-02T09:15:30.000Z'),
  input: 'billing',
  stored: { providerReference: 'inv_1' },
});
export const pageOptions: Options = { ...harness.options, flow: 'page' };

/** Members of a message; undefined leaves one out. */
export type Members = Readonly<Record<string, unknown>>;

/** An invoice about the sample payment, as an answer shows it. */
export function invoice(state: string, members: Members = {}): Members {
  return {
    invoice: 'inv_1',
    ref: 'GW-10042-1',
    storeId: 'st_Test1',
    state,
    flags: [],
    price: '25.90',
    unit: 'EUR',
    paid: '0.00',
    reason: null,
    due: { coin: 'BTC', network: 'bitcoin', address: 'bc1qxyz', amount: '0.00041440' },
    got: '0.00000000',
    page: 'https://coins.example/i/inv_1',
    closesAt: 1772443830,
    ...members,
  };
}

export const html = reply(502, '<html></html>');

/** The meaning of an error answer, for a submission and a refund alike. */
export const errors: readonly (readonly [HttpReply, string])[] = [
  [reply(400, { code: 'validation', items: [] }), 'nothing charged'],
  [reply(400, { code: 'other' }), 'unknown'],
  [reply(401, { code: 'unauthenticated' }), 'misconfigured'],
  [reply(401, { code: 'other' }), 'unknown'],
  [reply(403, { code: 'forbidden' }), 'misconfigured'],
  [reply(409, { code: 'reference-in-use' }), 'unknown'],
  [reply(429, { code: 'throttled' }), 'nothing charged'],
  [reply(500, { code: 'unavailable', created: false }), 'nothing charged'],
  [reply(503, { code: 'unavailable', created: false }), 'nothing charged'],
  [reply(500, { code: 'unavailable', created: true }), 'unknown'],
  [reply(500, { code: 'unavailable', created: 'false' }), 'unknown'],
  [reply(500, { code: 'unavailable' }), 'unknown'],
  [reply(502, { code: 'unavailable', created: false }), 'unknown'],
  [reply(504, { code: 'unavailable', created: false }), 'unknown'],
  [reply(404, { code: 'not-found' }), 'unknown'],
  [reply(422, { code: 'other', reason: 'limit' }), 'unknown'],
  [html, 'unknown'],
];
