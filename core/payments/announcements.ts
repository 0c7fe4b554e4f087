/** What merchants are told of a change. */
import { compareDecimals } from '@gateway/contract';
import type { Fact } from './state/decide.ts';
import { attemptOf, latestAttempt, status, type NotificationType, type PaymentRecord } from './facts.ts';

/** What merchants are told, in this order, when one step changes several things. */
export function announcements(before: PaymentRecord, after: PaymentRecord, fact: Fact): NotificationType[] {
  const told: NotificationType[] = [];
  const moved = before.statusId !== after.statusId;
  const change = compareDecimals(after.refundedAmount, before.refundedAmount);
  // Refunded in full, and then another attempt paid as well.
  const isPaidAgain = moved && after.statusId === status.paid && before.statusId === status.refunded && change >= 0;
  if (isPaidAgain || (before.paidAmount === null && after.paidAmount !== null)) told.push('payment.succeeded');
  else if (moved && after.statusId === status.failed) told.push('payment.failed');
  else if (moved && after.statusId === status.expired) told.push('payment.expired');
  else if (endsPending(before, after, fact)) told.push('payment.pending');
  if (change > 0) told.push(after.statusId === status.refunded ? 'payment.refunded' : 'payment.partially_refunded');
  if (change < 0) told.push('payment.refund_reversed');
  if (before.chargedBack !== after.chargedBack) {
    told.push(after.chargedBack ? 'payment.charged_back' : 'payment.chargeback_reversed');
  }
  return told;
}

/** A submission (not a later step of it) has ended, and the payment is pending. */
function endsPending(before: PaymentRecord, after: PaymentRecord, fact: Fact): boolean {
  if (fact.type !== 'answer' || after.statusId !== status.pending) return false;
  return attemptOf(before, fact.attempt)?.endedAt === null && latestAttempt(after)?.n === fact.attempt;
}
