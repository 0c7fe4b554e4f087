/** An order as notifications and answers show it, and the event that it reports. */
import {
  defined,
  eventDeclineOf,
  filled,
  jsonDigits,
  lenient,
  moneyFromMinor,
  rfc3339,
  toMinor,
  v,
  withDetails,
  type Money,
  type ReportedEvent,
} from '@paywright/contract';
import { declines, paid } from './statuses.ts';

/** The only currency of a domestic merchant. Messages may leave it out. */
export const CURRENCY = 'CNY';
/** WeChat Pay's own libraries hold an amount in fen in 32 bits, so 9 digits fit into all of them. */
export const MAX_DIGITS = 9;
export const Fen = jsonDigits(MAX_DIGITS);

/** WeChat Pay demands at least 1 fen. */
export function refuseAmount(money: Money): string | undefined {
  return money.currency === CURRENCY && toMinor(money) === '0' ? 'WeChat Pay accepts no amount of 0' : undefined;
}

/** `total` is the price, which the merchant receives. With a coupon of WeChat Pay the payer pays less. */
const Amount = v.object({ total: Fen, currency: v.optional(v.literal(CURRENCY), CURRENCY) });

const facts = {
  mchid: v.string(),
  out_trade_no: filled,
  trade_state_desc: lenient(v.string()),
  bank_type: lenient(v.string()),
  success_time: lenient(rfc3339),
};

/** A paid order without its amount or its transaction is not readable. */
export const Order = v.union([
  v.object({ ...facts, trade_state: v.picklist(['SUCCESS', 'REFUND']), transaction_id: filled, amount: Amount }),
  v.object({
    ...facts,
    trade_state: v.pipe(
      filled,
      v.check((state) => !paid.has(state), 'paid, without an amount or a transaction'),
    ),
    transaction_id: lenient(filled),
    amount: lenient(Amount),
  }),
]);
export type Order = v.InferOutput<typeof Order>;

export function toEvent(order: Order): ReportedEvent {
  const { out_trade_no: reference, trade_state: providerStatus, transaction_id, amount, success_time } = order;
  return {
    kind: 'payment',
    providerStatus,
    reference,
    providerReference: transaction_id ?? null,
    ...(amount ? moneyFromMinor(amount.total, amount.currency) : { amount: null, currency: null }),
    // An order is paid once. A later refund changes its state, but the payment is the same fact.
    dedupeKey: `${reference}:${paid.has(providerStatus) ? 'SUCCESS' : providerStatus}`,
    ...(providerStatus === 'PAYERROR' ? eventDeclineOf(declines, providerStatus, order.trade_state_desc) : {}),
    ...defined({ occurredAt: success_time }),
    ...withDetails({ bankType: order.bank_type }),
  };
}
