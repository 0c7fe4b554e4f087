/**
 * WeChat Pay (API v3, a domestic merchant's own account): an order is paid by a QR code, or in WeChat by H5; signed and encrypted
 * notifications report it. Protocol: README.md; samples: fixtures/vectors.json.
 */
import { defineAdapter, type Outcome } from '@paywright/contract';
import { callback } from './callbacks/wechat-pay.ts';
import { checkAccount } from './check-account.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options, type Context } from './options.ts';
import { CURRENCY, MAX_DIGITS } from './order.ts';
import { refund } from './refund.ts';
import { findKey } from './signing.ts';
import { declines, mapStatus } from './statuses.ts';
import { submit } from './submit.ts';

export default defineAdapter({
  manifest: {
    name: 'wechat-pay',
    title: 'WeChat Pay',
    code: 28,
    contract: '^2.1',
    inputs: ['billing'],
    ways: [
      { method: 'ewallet_redirect', title: 'WeChat Pay', threeDs: 'by_other_means', payerFields: [] },
      // No payment goes this way: the action of a QR code belongs to it alone.
      { method: 'upi_qr', title: 'WeChat Pay, by QR code', threeDs: 'by_other_means', payerFields: [] },
    ],
    maxMinorDigits: MAX_DIGITS,
    currencies: [CURRENCY],
    options: Options,
    declines,
    idempotency:
      'An order is named by out_trade_no, a refund by out_refund_no: a repetition is answered as the first was, and moves no money.',
    console: [
      'Nothing to enter for notifications: each order and refund names {publicUrl}/callbacks/wechatPay.',
      'Transaction centre, Refund settings, Notification address, for refunds made by hand: {publicUrl}/callbacks/wechatPay.',
      'Product centre, H5 payments, Domain, where `h5` is on: the host of {publicUrl}.',
    ],
  },
  submit,
  fetchStatus,
  refund,
  checkAccount,
  callbacks: [callback],
  mapStatus,
});

/** A call of WeChat Pay's own that vectors name: a platform certificate by its serial. */
export const vectorCalls = {
  async keyFetch({ serial }: Readonly<Record<string, unknown>>, ctx: Context): Promise<Outcome> {
    const found = await findKey(String(serial), ctx);
    if (found === 'unavailable') return { outcome: 'unknown' };
    return { outcome: found === 'denied' ? 'failed' : 'succeeded' };
  },
};
