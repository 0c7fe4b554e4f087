/** An order, as notifications and status answers show it. */
import {
  defined,
  eventDeclineOf,
  filled,
  jsonDigits,
  lenient,
  moneyFromMinor,
  rfc3339,
  v,
  type ReportedEvent,
} from '@paywright/contract';
import { declines, paid } from './statuses.ts';

/** A domestic merchant is paid in this alone, and messages may leave it out. */
export const CURRENCY = 'CNY';
/** WeChat Pay's own libraries hold an amount in 32 bits: 9,999,999.99 is the most that all of them can. */
export const MAX_DIGITS = 9;
export const Fen = jsonDigits(MAX_DIGITS);

/** `total` is the price, which the merchant gets; a coupon of WeChat Pay's may make the payer pay less of it. */
const Amount = v.object({ total: Fen, currency: v.optional(v.literal(CURRENCY), CURRENCY) });

const facts = {
  mchid: v.string(),
  out_trade_no: filled,
  trade_state_desc: lenient(v.string()),
  bank_type: lenient(v.pipe(v.string(), v.maxLength(32))),
  success_time: lenient(rfc3339),
};

/** A paid order names what was paid, and by which transaction. */
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
  const { out_trade_no: reference, trade_state: providerStatus, transaction_id, amount, bank_type, success_time } = order;
  return {
    kind: 'payment',
    providerStatus,
    reference,
    providerReference: transaction_id ?? null,
    ...(amount ? moneyFromMinor(amount.total, amount.currency) : { amount: null, currency: null }),
    // An order is paid once, and stays so when money is given back.
    dedupeKey: `${reference}:${paid.has(providerStatus) ? 'SUCCESS' : providerStatus}`,
    ...(providerStatus === 'PAYERROR' ? eventDeclineOf(declines, providerStatus, order.trade_state_desc) : {}),
    ...defined({
      occurredAt: success_time,
      details: bank_type === undefined ? undefined : { bankType: bank_type },
    }),
  };
}
