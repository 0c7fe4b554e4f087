/** Giving money back: what we ask, and how the server shows a refund. */
import {
  formatAmount,
  isSameMoney,
  nothingCharged,
  readAs,
  readJsonObject,
  toRefundOutcome,
  unknown,
  v,
  type AdapterContext,
  type HttpReply,
  type Outcome,
  type RefundRequest,
  type ReportedEvent,
  type StoredPayment,
} from '@gateway/contract';
import { Amount, Filled, moneyOf } from './invoice.ts';
import type { Options } from './options.ts';
import { mapStatus } from './statuses.ts';
import { errors, invoicePath, post } from './wire.ts';

const Refund = v.object({
  refund: Filled,
  ...v.entriesFromList(['invoice', 'storeId', 'state', 'unit'], v.string()),
  sum: Amount,
});
type Refund = v.InferOutput<typeof Refund>;

/** The refund of an answer; undefined where it cannot be read, or is none of this payment's invoice. */
export function readRefund(
  { body }: HttpReply,
  { providerReference }: StoredPayment,
  { storeId }: Options,
): Refund | undefined {
  const refund = readAs(Refund, readJsonObject(body));
  return refund?.storeId === storeId && refund.invoice === providerReference ? refund : undefined;
}

/** `reference` is ours of the payment. */
export function toRefundEvent({ refund, invoice, state, sum, unit }: Refund, reference: string): ReportedEvent {
  return {
    kind: 'refund',
    providerStatus: `refund.${state}`,
    reference,
    providerReference: invoice,
    subReference: refund,
    ...moneyOf(sum, unit),
    dedupeKey: `${refund}:${state}`,
  };
}

export async function refund(
  payment: StoredPayment,
  { reference, money }: RefundRequest,
  { http, options }: AdapterContext<Options>,
): Promise<Outcome> {
  const path = invoicePath(payment.providerReference!, '/refunds');
  const message = { sum: formatAmount(money), unit: money.currency };
  const reply = await http.send(post(options, path, reference, message));
  const { code, named } = errors.read(reply);
  if (reply.status === 422 && code === 'refused') return nothingCharged(named);
  if (reply.status !== 202 && reply.status !== 200) return errors.toOutcome(reply);
  const made = readRefund(reply, payment, options);
  if (!made || !isSameMoney(moneyOf(made.sum, made.unit), money)) {
    return unknown('the answer is no answer about this refund');
  }
  const { refund: providerReference, state: providerStatus } = made;
  const status = mapStatus(toRefundEvent(made, payment.reference), 'fetch');
  return toRefundOutcome(status, { providerReference, providerStatus, reason: `the refund is ${providerStatus}` });
}
