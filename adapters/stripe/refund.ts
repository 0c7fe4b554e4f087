/** Refunds a PaymentIntent. The refund carries our reference. */
import {
  filled,
  isSameMoney,
  lenient,
  nothingCharged,
  readJsonBody,
  toRefundOutcome,
  unknown,
  v,
  withDetails,
  type Ability,
  type HttpReply,
  type Outcome,
  type RefundRequest,
  type ReportedEvent,
} from '@paywright/contract';
import { Metadata } from './intent.ts';
import type { Options } from './options.ts';
import { mapStatus } from './statuses.ts';
import { Digits, errors, fromStripeAmount, get, post, toStripeAmount, type Params } from './wire.ts';

const Text = v.string();

export const Refund = v.object({
  id: filled,
  object: v.literal('refund'),
  amount: Digits,
  currency: Text,
  payment_intent: v.nullish(Text),
  status: v.nullish(filled),
  failure_reason: lenient(v.nullable(Text)),
  failure_balance_transaction: lenient(v.nullable(Text)),
  metadata: Metadata,
});
export type Refund = v.InferOutput<typeof Refund>;

const List = v.object({ data: v.array(Refund), has_more: v.boolean() });

/** All refunds of a PaymentIntent. Undefined if the answer is not a list of refunds, or the list is incomplete. */
export function readRefunds(reply: HttpReply): readonly Refund[] | undefined {
  const list = reply.status === 200 ? readJsonBody(List, reply) : undefined;
  return list && !list.has_more ? list.data : undefined;
}

export const listParams = (paymentIntent: string): Params => ({ payment_intent: paymentIntent, limit: '100' });

/** `reference` is needed if the message does not name the payment's reference. */
export function toRefundEvent(refund: Refund, reference?: string): ReportedEvent {
  const { id, amount, currency, metadata, payment_intent = null, failure_reason: reason } = refund;
  // Stripe accepted the refund, and may not have given it a status yet.
  const status = refund.status ?? 'pending';
  const isReturned = status === 'failed' && refund.failure_balance_transaction;
  const providerStatus = isReturned ? 'failed:returned' : status;
  return {
    kind: 'refund',
    providerStatus,
    reference: metadata.gateway_reference ?? reference ?? null,
    providerReference: payment_intent,
    subReference: id,
    ...fromStripeAmount(amount, currency),
    dedupeKey: `${id}:${providerStatus}`,
    ...withDetails({ reason }),
  };
}

/** The parameters of a refund. Its events find the payment by the payment's reference. */
export function refundParams(paymentIntent: string, amount: string, reference: string, name: string) {
  return {
    payment_intent: paymentIntent,
    amount,
    metadata: { gateway_reference: reference, gateway_refund: name },
  } as const satisfies Params;
}

export const refund: Ability<'refund', Options> = async (payment, asked, { http, options }) => {
  const { reference, providerReference } = payment;
  const id = providerReference!;
  const amount = toStripeAmount(asked.money);
  if (amount === undefined) return nothingCharged(`Stripe cannot represent this amount in ${asked.money.currency}`);
  // Stripe forgets an idempotency key after a day; a repetition would then refund twice.
  if (asked.isRepetition) {
    const known = readRefunds(await http.send(get(options, '/v1/refunds', listParams(id))));
    if (!known) return unknown('the answer does not list the refunds of this payment');
    const made = known.find(({ metadata }) => metadata.gateway_refund === asked.reference);
    if (made) return outcomeOf(made, id, asked);
  }
  const params = refundParams(id, amount, reference, asked.reference);
  const reply = await http.send(post(options, '/v1/refunds', params, asked.reference));
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  const made = readJsonBody(Refund, reply);
  return made ? outcomeOf(made, id, asked) : unknown('the answer is not a refund');
};

function outcomeOf(made: Refund, paymentIntent: string, { reference, money }: RefundRequest): Outcome {
  const isOurs = made.payment_intent === paymentIntent && made.metadata.gateway_refund === reference;
  if (!isOurs || !isSameMoney(fromStripeAmount(made.amount, made.currency), money)) {
    return unknown('the answer is not about this refund');
  }
  const reason = made.failure_reason ? { reason: `Stripe: ${made.failure_reason}` } : {};
  const event = toRefundEvent(made);
  const shown = { providerReference: made.id, providerStatus: event.providerStatus, ...reason };
  return toRefundOutcome(mapStatus(event, 'fetch'), shown);
}
