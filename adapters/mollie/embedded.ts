/** Data embedded in an answer about a payment: its captures, its refunds, and its chargebacks with their amounts. */
import { filled, lenient, rfc3339, v, withDetails, type ReportedEvent } from '@paywright/contract';
import { Amount } from './wire.ts';

export const Capture = v.object({ id: filled, paymentId: v.string(), status: filled, createdAt: lenient(rfc3339) });
export type Capture = v.InferOutput<typeof Capture>;

export const Refund = v.object({
  id: filled,
  paymentId: v.string(),
  amount: Amount,
  status: filled,
  metadata: lenient(v.object({ gateway_refund: lenient(filled) })),
  /** The acquirer's reference. */
  externalReference: lenient(v.object({ id: lenient(filled) })),
});
export type Refund = v.InferOutput<typeof Refund>;

export const Chargeback = v.object({
  id: filled,
  paymentId: v.string(),
  amount: Amount,
  createdAt: lenient(rfc3339),
  reversedAt: v.nullish(rfc3339),
  /** Present only for SEPA Direct Debit. */
  reason: lenient(v.object({ code: lenient(filled), description: lenient(filled) })),
});
export type Chargeback = v.InferOutput<typeof Chargeback>;

const madeAt = ({ createdAt }: Capture): number => createdAt?.getTime() ?? 0;

/** The latest capture, if it failed. The payment is reserved as before, and the failure has its own identity. */
export function toFailedCapture(captures: readonly Capture[], payment: ReportedEvent): readonly ReportedEvent[] {
  const latest = captures.toSorted((one, other) => madeAt(one) - madeAt(other)).at(-1);
  if (latest?.status !== 'failed') return [];
  return [{ ...payment, dedupeKey: `${latest.id}:failed`, failedRequest: 'capture' }];
}

/** Members that the events of one payment share. */
export type About = Pick<ReportedEvent, 'reference' | 'providerReference' | 'mode'>;

export function toRefundEvent({ id, status, amount, externalReference }: Refund, about: About): ReportedEvent {
  return {
    kind: 'refund',
    providerStatus: status,
    ...about,
    subReference: id,
    ...amount,
    dedupeKey: `${id}:${status}`,
    ...withDetails({ acquirerReference: externalReference?.id }),
  };
}

export function toChargebackEvent(chargeback: Chargeback, about: About): ReportedEvent {
  const { id, amount, createdAt, reversedAt, reason } = chargeback;
  const providerStatus = reversedAt ? 'reversed' : 'received';
  const occurredAt = reversedAt ?? createdAt;
  return {
    kind: 'chargeback',
    providerStatus,
    ...about,
    subReference: id,
    ...amount,
    dedupeKey: `${id}:${providerStatus}`,
    ...(occurredAt ? { occurredAt } : {}),
    ...withDetails({ reasonCode: reason?.code, reason: reason?.description }),
  };
}
