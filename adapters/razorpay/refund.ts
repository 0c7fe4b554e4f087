/** Refunds: our request, and how Razorpay shows a refund. */
import {
  defined,
  filled,
  JsonNumber,
  lenient,
  moneyFromMinor,
  nothingCharged,
  readJsonBody,
  readJsonObject,
  toMinor,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  withDetails,
  type Ability,
  type Outcome,
  type ReportedEvent,
  type StoredPayment,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { Minor, refuseAmount } from './payment.ts';
import { paymentOf, readLink } from './payment-link.ts';
import { mapStatus } from './statuses.ts';
import { errors, get, post } from './wire.ts';

export const Refund = v.object({
  id: filled,
  payment_id: v.string(),
  amount: Minor,
  currency: v.string(),
  /** Absent or null while Razorpay has accepted the refund and says no more about it. */
  status: lenient(filled),
  /** References of the banks. */
  acquirer_data: lenient(v.object({ arn: lenient(filled), rrn: lenient(filled), utr: lenient(filled) })),
  /** Our reference of the refund; absent for a refund made in the dashboard. */
  notes: lenient(v.object({ gateway_refund: lenient(filled) })),
});
export type Refund = v.InferOutput<typeof Refund>;

/** `names` are core's references of the payment. `orderHint` is the time of the event. */
export function toRefundEvent(
  refund: Refund,
  names: Pick<ReportedEvent, 'reference' | 'providerReference'>,
  orderHint?: number,
): ReportedEvent {
  const { id, amount, currency, status = 'pending', acquirer_data = {} } = refund;
  return {
    kind: 'refund',
    providerStatus: `refund.${status}`,
    ...names,
    subReference: id,
    ...moneyFromMinor(amount, currency),
    dedupeKey: `${id}:${status}`,
    ...withDetails(acquirer_data),
    ...defined({ orderHint }),
  };
}

export function refundMessage(reference: string, minor: string) {
  return {
    amount: new JsonNumber(minor),
    speed: 'normal' as const,
    receipt: reference,
    notes: { gateway_refund: reference },
  };
}

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, ctx) => {
  const refused = refuseAmount(money);
  if (refused) return nothingCharged(refused);
  const found = payment.method === 'hosted_page' ? await paidBy(payment, ctx) : payment.providerReference!;
  if (typeof found !== 'string') return found;
  const minor = toMinor(money);
  const path = urlPath`/v1/payments/${found}/refund`;
  // The key needs at least 10 characters; a reference alone may be shorter.
  const headers = { 'X-Refund-Idempotency': `refund-${reference}` };
  const reply = await ctx.http.send(post(ctx.options, path, refundMessage(reference, minor), headers));
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  const made = readJsonBody(Refund, reply);
  const { gateway_refund: named = reference } = made?.notes ?? {};
  const isMoney = made?.amount === minor && made.currency === money.currency;
  if (made?.payment_id !== found || named !== reference || !isMoney) {
    return unknown('the answer is not about this refund');
  }
  const event = toRefundEvent(made, { reference: payment.reference, providerReference: found });
  const { id: providerReference, status: providerStatus = 'pending' } = made;
  const shown = { providerReference, providerStatus, reason: `the refund is ${providerStatus}` };
  return toRefundOutcome(mapStatus(event, 'fetch'), shown);
};

/** The id of the payment that was made at the page, or an outcome if it is unknown. */
async function paidBy(payment: StoredPayment, { http, options }: Context): Promise<string | Outcome> {
  const reply = await http.send(get(options, urlPath`/v1/payment_links/${payment.providerReference!}`));
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  const link = readLink(readJsonObject(reply.body), payment);
  const paid = link && paymentOf(link);
  return paid ?? unknown('the link does not show the payment that paid it');
}
