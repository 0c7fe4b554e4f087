/** What a notification shows in addition to the payment request: the refund or the dispute that caused it. */
import { JsonNumber } from '@paywright/contract';
import type { Notice, PaymentRecord } from '../../../database/collections/payment-request.ts';
import { disputesOf, type Dispute } from '../state/disputes.ts';
import { refundEntries } from '../state/refund-entries.ts';
import { presentRefund } from './present-payment.ts';

/** Members of `data` next to `paymentRequest`. `before`: the payment before the change that caused the notification. */
export function presentCause(
  { type, refund }: Notice,
  record: PaymentRecord,
  before: PaymentRecord,
): Readonly<Record<string, unknown>> {
  if (type === 'payment.charged_back') return presentDispute(record, before);
  const entry = refund === undefined ? undefined : refundEntries(record).find(({ id }) => id === refund);
  return entry ? { refund: presentRefund(entry) } : {};
}

/**
 * The case that is open or lost now and was not before, as the provider reports it. If the same change has already won
 * it: the last case.
 */
function presentDispute(record: PaymentRecord, before: PaymentRecord): Readonly<Record<string, unknown>> {
  const known = before.chargedBack ? disputes(before).filter(({ isCounted }) => isCounted) : [];
  const isNew = ({ number, isCounted }: Dispute): boolean => isCounted && !known.some((one) => one.number === number);
  const all = disputes(record);
  const dispute = all.find(isNew) ?? all.at(-1);
  if (!dispute) return {};
  const { amount, currency } = dispute.reported;
  return { dispute: { case: dispute.number, amount: new JsonNumber(amount), currency } };
}

function disputes(record: PaymentRecord): Dispute[] {
  return record.attempts
    .filter(({ outcome }) => outcome === 'succeeded')
    .flatMap((attempt) => disputesOf(record, attempt));
}
