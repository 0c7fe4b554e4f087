/** A payment that was charged twice: the later charge may be refunded automatically. */
import { addDecimals, trimDecimal } from '@paywright/contract';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { Facts, PaymentRecord } from '../../../database/collections/payment-request.ts';
import { refundedSum } from '../state/derive-status.ts';
import { disputedSum } from '../state/disputes.ts';
import { chargesOf } from '../state/charges.ts';
import { chargedOf, isMore, leftOf } from '../state/left-to-refund.ts';
import { newRefund } from './new-refund.ts';

/**
 * Charges after the first of which nothing was refunded or disputed. Empty if the first charge was refunded or
 * disputed.
 */
export function laterCharges(record: PaymentRecord): Attempt[] {
  const [first, ...later] = charged(record);
  const isWhole = (attempt: Attempt): boolean =>
    record.refunds.every((refund) => refund.attempt !== attempt.n) &&
    refundedSum(record, attempt.n) === '0' &&
    disputedSum(record, attempt) === '0';
  return first && isWhole(first) ? later.filter(isWhole) : [];
}

/**
 * If there are several charges of which something can still be refunded: these charges, in the order in which they were
 * charged. Otherwise empty.
 */
export function doubleCharges(record: Facts): Attempt[] {
  const charges = charged(record);
  if (charges.length < 2) return [];
  const kept = charges.filter((attempt) => isMore(leftOf(record, attempt, chargedOf(attempt)), '0'));
  return kept.length > 1 ? kept : [];
}

/**
 * If the merchant still keeps something of several charges: these charges. Otherwise empty. A refund that has not
 * succeeded yet changes nothing here, so that a refused refund does not look like another double charge.
 */
export function keptCharges(record: Facts): Attempt[] {
  const charges = charged(record);
  if (charges.length < 2) return [];
  return charges.filter((attempt) => {
    const gone = addDecimals(refundedSum(record, attempt.n), disputedSum(record, attempt));
    return isMore(chargedOf(attempt), gone);
  });
}

function charged({ attempts }: Pick<Facts, 'attempts'>): Attempt[] {
  return chargesOf({ attempts: attempts.filter(({ outcome }) => outcome === 'succeeded') });
}

/** Stored before the provider is called, as every refund is. */
export function withRefundsOf(record: PaymentRecord, charges: readonly Attempt[], at: Date): PaymentRecord {
  const arrived = charges.filter((attempt) => isMore(chargedOf(attempt), '0'));
  return arrived.reduce((current, attempt) => {
    const refund = newRefund(current, attempt, { amount: trimDecimal(chargedOf(attempt)), at, sentAt: null });
    return { ...current, refunds: [...current.refunds, refund] };
  }, record);
}
