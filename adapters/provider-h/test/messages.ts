/** H's options and messages; the harness makes the payment, the calls and the callbacks. */
import { JsonNumber, stringifyExact, type HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import providerH from '../index.ts';

export const harness = createAdapterHarness(providerH, {
  options: {
    baseUrl: 'https://api.provider-h.example',
    sandboxBaseUrl: 'https://sandbox.provider-h.example',
    merchantNo: 'M-0000001',
    apiKey: 'hk_test_9a',
    apiSecret: 'request-secret-tëst',
    ipnSecrets: ['ipn-secret-nëw', 'ipn-secret-old'],
  },
  now: new Date('2026-03-02T09:15:30.000Z'),
  input: 'billing',
  stored: { providerReference: '9007199254740993771' },
});

/** Members of a message; a `JsonNumber` keeps its spelling, undefined leaves a member out. */
export type Members = Readonly<Record<string, unknown>>;

export const spelled = (text: string): JsonNumber => new JsonNumber(text);

/** A pay about the sample payment, as a callback shows it. */
export function pay(members: Members = {}): Members {
  return {
    pay_no: spelled('9007199254740993771'),
    gw_ref: 'GW-10042-1',
    shop: 'M-0000001',
    phase: 'done',
    want: { n: spelled('25.90'), cur: 'EUR' },
    asked: { n: spelled('0.00041440'), coin: 'BTC' },
    got: { n: spelled('0.00041440'), coin: 'BTC' },
    fee: { svc: { n: spelled('0.25'), cur: 'EUR' }, net: { n: spelled('1.2e-6'), coin: 'BTC' } },
    chain: 'bitcoin',
    hash: null,
    confs: 3,
    why: null,
    at: 1795251600000,
    ...members,
  };
}

/** The same pay, as an answer shows it. */
export function shown(phase: string, members: Members = {}): Members {
  const way = { address: 'bc1qxyz', memo: null, uri: 'bitcoin:bc1qxyz', lapses_at: '2026-03-02T09:30:30Z' };
  return pay({ phase, ...way, ...members });
}

/** An answer in JSON that keeps the spelling of numbers. */
export function answer(status: number, message: unknown): HttpReply {
  return reply(status, stringifyExact(message), [['Content-Type', 'application/json']]);
}

export function refusal(status: number, code: string): HttpReply {
  return answer(status, { error: { code, text: 'for people' } });
}
export const html = reply(502, '<html></html>');

/** The meaning of an error answer, for a submission and a refund alike. */
export const errors: readonly (readonly [HttpReply, string])[] = [
  [refusal(400, 'bad_request'), 'nothing charged'],
  [refusal(400, 'other'), 'unknown'],
  [refusal(401, 'bad_digest'), 'misconfigured'],
  [refusal(401, 'other'), 'unknown'],
  [refusal(409, 'ref_reused'), 'unknown'],
  [refusal(429, 'slow_down'), 'nothing charged'],
  [refusal(500, 'not_made'), 'nothing charged'],
  [refusal(503, 'not_made'), 'nothing charged'],
  [refusal(502, 'not_made'), 'unknown'],
  [refusal(504, 'not_made'), 'unknown'],
  [refusal(500, 'other'), 'unknown'],
  [html, 'unknown'],
];
