/** Shared by the tests: WeChat Pay's keys, its signed answers, and calls with scripted answers. */
import type { Action, HttpReply, Submission } from '@paywright/contract';
import { createAdapterHarness, fixture, reply, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import wechatPay from '../index.ts';
import { serialOf, type Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';
import { signedHeaders } from '../signing.ts';

interface Key {
  readonly certificate: string;
  readonly privateKey: string;
}
const file = fixture(import.meta.url, 'vectors.json') as {
  readonly options: Readonly<Record<string, unknown>>;
  readonly providerSide: {
    readonly keys: readonly [Key, Key];
    readonly merchantKeys: readonly [{ readonly publicKey: string }];
  };
};
export const { providerSide, options: given } = file;

export const harness = createAdapterHarness(wechatPay, {
  options: given,
  now: new Date('2026-12-02T10:00:10.000Z'),
  input: 'billing',
  payment: { money: { amount: '25.9', currency: 'CNY' }, sandbox: true },
  submission: { unit: 'CNY', payer: { ipAddress: '203.0.113.7' } },
  stored: { providerReference: '4200001234202612021234567890' },
});
const { options, now, submission } = harness;

/** An answer of WeChat Pay, signed by one of the keys of `providerSide`. The options know only the first one. */
export function signedReply(
  status: number,
  value: unknown,
  { by = 0, time = now }: { readonly by?: 0 | 1; readonly time?: Date } = {},
): HttpReply {
  const body = Buffer.from(value === undefined ? '' : JSON.stringify(value));
  const { certificate, privateKey } = providerSide.keys[by];
  const head = { time: String(Math.floor(time.getTime() / 1000)), nonce: 'c5ac7061fccab6bf3e254dcf98995b8c' };
  return reply(status, body, Object.entries(signedHeaders({ serial: serialOf(certificate)!, privateKey }, head, body)));
}

/** Browsers of a phone and of a desktop. */
const phone = { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' };
const desktop = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' };

let count = 0;
/** A payment of its own, so that no other test uses its reference. */
export function newPayment(amount = '25.9', device: 'desktop' | 'phone' = 'desktop'): Submission<'billing'> {
  count += 1;
  const id = String(10_000 + count);
  return {
    ...submission,
    reference: `GW-${id}-1`,
    paymentRequestId: id,
    money: { amount, currency: 'CNY' },
    browserInfo: device === 'phone' ? phone : desktop,
  };
}

/** The page that pays an order at the sandbox: of H5, or of a code that no app scans there. */
export function pageOf(action: Action, sandboxUrl: string): Action {
  if (action.type !== 'qr') return action;
  return { type: 'redirect', method: 'GET', url: `${sandboxUrl}/scan/${new URL(action.text).searchParams.get('pr')!}` };
}

export const start = (own: Partial<Options> = {}, delayMs = 8): Promise<RoundTrip<Options>> =>
  startRoundTrip({ adapter: wechatPay, createSandbox, options: { ...options, ...own }, providerSide, delayMs });
