/** Shared by the tests: PayPal's options and keys, and calls with scripted answers. */
import type { HttpReply, RefundRequest, StoredPayment, Submission } from '@paywright/contract';
import {
  createAdapterHarness,
  firstRefund,
  fixture,
  reply,
  scriptedHttp,
  startRoundTrip,
  type RoundTrip,
} from '@paywright/contract/testing';
import paypal from '../index.ts';
import type { Context, Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';

const file = fixture(import.meta.url, 'vectors.json') as {
  readonly options: unknown;
  readonly providerSide: Readonly<Record<string, unknown>>;
};
export const { providerSide } = file;
/** Certificates of the tests, by what is special about them. */
export const pems = fixture(import.meta.url, 'certificates.json') as Readonly<Record<string, string>>;

export const CAPTURE = '3C679366HH908993F';
export const ORDER = '5O190127TN364715T';

export const harness = createAdapterHarness(paypal, {
  options: file.options,
  now: new Date('2026-11-20T10:00:10.000Z'),
  input: 'billing',
  payment: { sandbox: true },
  stored: { providerReference: CAPTURE, providerReferences: { order: ORDER, capture: CAPTURE } },
});
export const { now, options } = harness;

let count = 0;
/** A payment of its own, so that no other test uses its reference. */
export function newPayment(amount = '25.9', currency = 'EUR'): Submission<'billing'> {
  count += 1;
  return { ...harness.submission, reference: `GW-${count}-1`, money: { amount, currency }, unit: currency };
}

/** A first refund of 10. */
export function firstRefundOf({ reference, money }: StoredPayment): RefundRequest {
  return { ...firstRefund, reference: `${reference}-R1`, money: { ...money, amount: '10' } };
}

export const granted = (expires_in = 32_400, access_token = 'A21'): HttpReply =>
  reply(200, { access_token, expires_in });

/** A context whose requests get the given answers in order, and those requests. */
export function context(answers: readonly (HttpReply | null)[], given: Partial<Options> = {}) {
  const http = scriptedHttp(answers);
  const ctx: Context = harness.createContext([], { options: given, http });
  return { ctx, requests: http.requests };
}

export const start = (own: Partial<Options> = {}, delayMs = 8): Promise<RoundTrip<Options>> =>
  startRoundTrip({ adapter: paypal, createSandbox, options: { ...options, ...own }, providerSide, delayMs });
