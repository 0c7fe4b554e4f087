/** What can still be refunded. */
import { addDecimals, compareDecimals, subtractDecimals } from '@paywright/contract';
import { arrivedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { refundedSum } from '../state/derive-status.ts';
import { disputedSum } from '../state/disputes.ts';

/** The part of the charges that can still be refunded, over all attempts. */
export function leftToRefund(record: PaymentRecord): string {
  const left = record.attempts.map((attempt) => leftOf(record, attempt, chargedOf(attempt)));
  return addDecimals('0', ...left.filter((amount) => isMore(amount, '0')));
}

/**
 * What can still be refunded of one attempt. Refunds in progress count as refunded, and so do open and lost
 * chargebacks.
 */
export function leftOf(record: PaymentRecord, attempt: Attempt, amount: string): string {
  const open = record.refunds.filter(
    ({ attempt: n, state }) => n === attempt.n && state !== 'succeeded' && state !== 'failed',
  );
  const given = [refundedSum(record, attempt.n), ...open.map((refund) => refund.amount)];
  return subtractDecimals(amount, addDecimals(...given, disputedSum(record, attempt)));
}

/** The part of a charge that can be refunded: what was charged, or what arrived if that is less. */
export function chargedOf(attempt: Attempt): string {
  return attempt.outcome === 'succeeded' ? arrivedAmount(attempt) : '0';
}

export function isMore(left: string, right: string): boolean {
  return compareDecimals(left, right) > 0;
}
