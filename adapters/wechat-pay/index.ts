/**
 * WeChat Pay (API v3, the account of a domestic merchant): the payer scans a code in WeChat, or goes from a phone's
 * browser to WeChat (H5). Signed and encrypted notifications report payments and refunds. Protocol: README.md; samples:
 * fixtures/vectors.json.
 */
import { amountBound, defineAdapter, v, wordmark } from '@paywright/contract';
import { notification } from './callbacks/wechat-pay.ts';
import { checkAccount } from './check-account.ts';
import { close } from './close.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { CURRENCY, MAX_DIGITS, refuseAmount } from './order.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { submit } from './submit.ts';

/** Amounts that WeChat Pay refuses. The merchant's body is checked for them before any request to WeChat Pay. */
const bounds = v.pipe(
  v.looseObject({ amount: v.optional(v.unknown()), unit: v.optional(v.unknown()) }),
  amountBound(refuseAmount),
);

export default defineAdapter({
  manifest: {
    name: 'wechat-pay',
    title: 'WeChat Pay',
    code: 28,
    contract: '^2.1',
    inputs: ['billing'],
    bounds,
    ways: [
      {
        method: 'ewallet_redirect',
        title: 'WeChat Pay',
        leadsTo: 'WeChat Pay',
        threeDs: 'by_other_means',
        payerFields: [],
        unfinishedStep: 'close',
      },
    ],
    maxMinorDigits: MAX_DIGITS,
    currencies: [CURRENCY],
    brands: { ewallet_redirect: [wordmark('WeChat Pay', '#0b7443')] },
    options: Options,
    accountKey: ({ mchid }) => mchid,
    declines,
    idempotency:
      'out_trade_no names an order, out_refund_no a refund. A repetition gets the same answer and moves no more money.',
    console: [
      'Nothing to register for notifications: each order and each refund carries {publicUrl}/callbacks/wechat-pay.',
      'Transaction centre, Refund settings, for refunds made by hand: {publicUrl}/callbacks/wechat-pay.',
      'Product centre, H5 payments, Domain, if `h5` is on: the host of {publicUrl}.',
    ],
  },
  submit,
  fetchStatus,
  refund,
  close,
  checkAccount,
  callbacks: [notification],
  mapStatus,
});
