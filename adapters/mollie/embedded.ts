/**
 * Data embedded in an answer about a payment: its captures, its refunds, and its chargebacks with their amounts. A part
 * that cannot be read is left out, because the payment's own status and sums count.
 */
import { filled, lenient, readAs, rfc3339, v, withDetails, type ReportedEvent } from '@paywright/contract';
import { Amount } from './wire.ts';

/** Members that every part has. Mollie names the payment, but its schema of a capture requires no member. */
const part = { id: filled, paymentId: lenient(v.string()), createdAt: lenient(rfc3339) };

export const Capture = v.object({ ...part, status: filled });
export type Capture = v.InferOutput<typeof Capture>;

const refundMembers = {
  ...part,
  amount: Amount,
  metadata: lenient(v.object({ gateway_refund: lenient(filled) })),
  /** The acquirer's reference. */
  externalReference: lenient(v.object({ id: lenient(filled) })),
};
export const Refund = v.object({ ...refundMembers, status: filled });
export type Refund = v.InferOutput<typeof Refund>;

/** A refund in the answer to our own request, which need not name a status: Mollie accepted the refund. */
export const AcceptedRefund = v.object({ ...refundMembers, status: lenient(filled) });
export type AcceptedRefund = v.InferOutput<typeof AcceptedRefund>;

export const Chargeback = v.object({
  ...part,
  amount: lenient(Amount),
  /** Present once the chargeback is reversed, whatever its form. */
  reversedAt: v.optional(v.unknown(), null),
  /** Present only for SEPA Direct Debit. */
  reason: lenient(v.object({ code: lenient(filled), description: lenient(filled) })),
});
export type Chargeback = v.InferOutput<typeof Chargeback>;

/** Parts of one kind. `isComplete`: the answer has the list, and every part of it could be read. */
export interface Parts<T> {
  readonly read: readonly T[];
  readonly isComplete: boolean;
}

export function readParts<S extends v.GenericSchema>(schema: S, list: unknown): Parts<v.InferOutput<S>> {
  if (!Array.isArray(list)) return { read: [], isComplete: false };
  const parts = list.map((item) => readAs(schema, item));
  const read = parts.filter((item) => item !== undefined);
  return { read, isComplete: read.length === parts.length };
}

const madeAt = ({ createdAt }: Capture): number => createdAt?.getTime() ?? 0;

/**
 * The latest capture, if it failed. The payment is reserved as before, and the failure has its own identity. If one of
 * the captures cannot be read, which is the latest is not known, and the capture stays as it was.
 */
export function toFailedCapture(captures: Parts<Capture>, payment: ReportedEvent): readonly ReportedEvent[] {
  const latest = captures.read.toSorted((one, other) => madeAt(one) - madeAt(other)).at(-1);
  if (latest?.status !== 'failed' || !captures.isComplete) return [];
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
  const isReversed = reversedAt !== null && reversedAt !== '';
  const providerStatus = isReversed ? 'reversed' : 'received';
  const occurredAt = isReversed ? readAs(rfc3339, reversedAt) : createdAt;
  return {
    kind: 'chargeback',
    providerStatus,
    ...about,
    subReference: id,
    ...(amount ?? { amount: null, currency: null }),
    dedupeKey: `${id}:${providerStatus}`,
    ...(occurredAt ? { occurredAt } : {}),
    ...withDetails({ reasonCode: reason?.code, reason: reason?.description }),
  };
}
