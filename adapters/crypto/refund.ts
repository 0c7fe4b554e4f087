/** Refund: the request, and how the server shows a refund. */
import {
  decimalText,
  filled,
  formatAmount,
  formatMoney,
  isSameMoney,
  readJsonBody,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type Ability,
  type HttpReply,
  type ReportedEvent,
  type StoredPayment,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { mapStatus } from './statuses.ts';
import { errors, post } from './wire.ts';

const Refund = v.object({
  refund: filled,
  ...v.entriesFromList(['invoice', 'storeId', 'state', 'unit'], v.string()),
  sum: decimalText,
});
type Refund = v.InferOutput<typeof Refund>;

/** The refund of an answer. Undefined if it is unreadable or belongs to another invoice. */
export function readRefund(
  reply: HttpReply,
  { providerReference }: StoredPayment,
  { storeId }: Options,
): Refund | undefined {
  const refund = readJsonBody(Refund, reply);
  return refund?.storeId === storeId && refund.invoice === providerReference ? refund : undefined;
}

/** `reference` is our reference of the payment. */
export function toRefundEvent({ refund, invoice, state, sum, unit }: Refund, reference: string): ReportedEvent {
  return {
    kind: 'refund',
    providerStatus: `refund.${state}`,
    reference,
    providerReference: invoice,
    subReference: refund,
    ...formatMoney(sum, unit),
    dedupeKey: `${refund}:${state}`,
  };
}

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, { http, options }) => {
  const path = urlPath`invoices/${payment.providerReference!}/refunds`;
  const message = { sum: formatAmount(money), unit: money.currency };
  const reply = await http.send(post(options, path, reference, message));
  if (reply.status !== 202 && reply.status !== 200) return errors.toRefundOutcome(reply);
  const made = readRefund(reply, payment, options);
  if (!made || !isSameMoney(formatMoney(made.sum, made.unit), money)) {
    return unknown('the answer is not about this refund');
  }
  const { refund: providerReference, state: providerStatus } = made;
  const status = mapStatus(toRefundEvent(made, payment.reference), 'fetch');
  return toRefundOutcome(status, { providerReference, providerStatus, reason: `the refund is ${providerStatus}` });
};
