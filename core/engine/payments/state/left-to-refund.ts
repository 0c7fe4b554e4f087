/** What can still be refunded. */
import { addDecimals, compareDecimals, isAboveZero, subtractDecimals } from '@paywright/contract';
import { arrivedAmount, collectedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import type { Facts } from '../../../database/collections/payment-request.ts';
import { refundedSum } from './derive-status.ts';
import { disputedSum } from './disputes.ts';
import { refundEntries } from './refund-entries.ts';

/** The part of the charges that can still be refunded, over all attempts. */
export function leftToRefund(record: Facts): string {
  const left = record.attempts.map((attempt) => leftOf(record, attempt, chargedOf(attempt)));
  return addDecimals('0', ...left.filter((amount) => isMore(amount, '0')));
}

/**
 * What can still be refunded of one attempt. Refunds in progress count as refunded, also those made at the provider,
 * and so do open and lost chargebacks.
 */
export function leftOf(record: Facts, attempt: Attempt, amount: string): string {
  const open = record.refunds.filter(
    ({ attempt: n, state }) => n === attempt.n && state !== 'succeeded' && state !== 'failed',
  );
  const atProvider = refundEntries(record).filter(
    ({ attempt: n, ours, status }) =>
      n === attempt.n && ours === null && (status === 'pending' || status === 'needs_merchant'),
  );
  const given = [refundedSum(record, attempt.n), ...[...open, ...atProvider].map((refund) => refund.amount)];
  return subtractDecimals(amount, addDecimals(...given, disputedSum(record, attempt)));
}

/** The part of a charge that can be refunded: what was charged, or what arrived if that is less. */
export function chargedOf(attempt: Attempt): string {
  return attempt.outcome === 'succeeded' ? arrivedAmount(attempt) : '0';
}

/**
 * What a refund without an amount gives back of one charge, never below 0: the charged amount, or the received coins
 * while they do not pay the payment.
 */
export function refundableOf(record: Facts, attempt: Attempt): string {
  const left = leftOf(record, attempt, attempt.outcome === 'succeeded' ? chargedOf(attempt) : collectedAmount(attempt));
  return isAboveZero(left) ? left : '0';
}

export function isMore(left: string, right: string): boolean {
  return compareDecimals(left, right) > 0;
}
