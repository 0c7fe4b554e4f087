/** Decides which notifications a change makes. */
import { compareDecimals } from '@paywright/contract';
import { lacksItsMoney } from './apply-collection.ts';
import type { Fact } from './fact.ts';
import { changedRefunds, type RefundEntry } from './refund-entries.ts';
import { attemptsChanged } from '../record/attempts-changed.ts';
import { attemptOf, latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import {
  status,
  type Notice,
  type NotificationType,
  type PaymentRecord,
} from '../../../database/collections/payment-request.ts';

/** In this order, if one change has several effects. */
export function noticesOf(before: PaymentRecord, after: PaymentRecord, fact: Fact): Notice[] {
  const types: NotificationType[] = [];
  const moved = before.statusId !== after.statusId;
  const change = compareDecimals(after.refundedAmount, before.refundedAmount);
  // The payment was refunded in full, and then another attempt paid as well.
  const isPaidNow = moved && after.statusId === status.paid && before.statusId === status.refunded && change >= 0;
  const isNewCharge = countCharges(after) > countCharges(before);
  const isPaidAgain = isPaidNow && isNewCharge;
  if (isPaidAgain || (before.paidAmount === null && after.paidAmount !== null)) types.push('payment.succeeded');
  else if (moved && after.statusId === status.failed) types.push('payment.failed');
  else if (moved && after.statusId === status.expired) types.push('payment.expired');
  else if (endsPending(before, after, fact)) types.push('payment.pending');
  // A charge that was refunded in full before does not make a second charge.
  const isCharged = before.paidAmount !== null && before.statusId !== status.refunded;
  if (isCharged && isNewCharge) types.push('payment.double_charged');
  const isRaised = before.paidAmount !== null && compareDecimals(after.paidAmount ?? '0', before.paidAmount) > 0;
  if (!isNewCharge && (isRaised || isPaidNow)) types.push('payment.amount_raised');
  if (isUnderpaid(before, after, fact)) types.push('payment.underpaid');
  if (isReserved(before, after)) types.push('payment.authorised');
  const refused = refusedRequest(before, after, fact);
  if (refused === 'capture' || attemptsChanged(after, before, lacksItsMoney).length > 0)
    types.push('payment.capture_failed');
  if (refused === 'void') types.push('payment.cancel_failed');
  const notices = [...types.map((type) => ({ type })), ...refundNotices(before, after, fact, change)];
  if (before.chargedBack === after.chargedBack) return notices;
  return [...notices, { type: after.chargedBack ? 'payment.charged_back' : 'payment.chargeback_reversed' }];
}

/** `change`: whether the refunded sum grew (above 0) or shrank (below 0). */
function refundNotices(before: PaymentRecord, after: PaymentRecord, fact: Fact, change: number): Notice[] {
  const { given, reversed, failed, needing } = changedRefunds(before, after);
  const about = (type: NotificationType, entry: RefundEntry | undefined): Notice => {
    return entry ? { type, refund: entry.id } : { type };
  };
  const notices: Notice[] = [];
  // If several refunds count at the same time, because the payment is paid only now: the last of them.
  if (change > 0)
    notices.push(
      about(after.statusId === status.refunded ? 'payment.refunded' : 'payment.partially_refunded', given.at(-1)),
    );
  if (change < 0) notices.push(about('payment.refund_reversed', reversed.at(-1)));
  notices.push(...needing.map((entry) => about('payment.refund_needs_merchant', entry)));
  // A caller who waits for the answer to the refund sees the refusal there.
  if (fact.type === 'refund_outcome' && !fact.isByWorker) return notices;
  return [...notices, ...failed.map((entry) => about('payment.refund_failed', entry))];
}

function countCharges({ attempts }: PaymentRecord): number {
  return attempts.filter(({ outcome }) => outcome === 'succeeded').length;
}

/** More coins came in, and it is still too little. */
function isUnderpaid(before: PaymentRecord, after: PaymentRecord, fact: Fact): boolean {
  if (fact.type !== 'event' || fact.event.status !== 'underpaid') return false;
  const attempt = attemptOf(after, fact.attempt);
  return attempt?.outcome !== 'succeeded' && attempt?.received !== attemptOf(before, fact.attempt)?.received;
}

/**
 * The bank reserved money that was neither reserved nor charged before. A payment that is already paid waits for no
 * reservation.
 */
function isReserved(before: PaymentRecord, after: PaymentRecord): boolean {
  if (after.statusId !== status.pending) return false;
  return after.attempts.some(
    ({ n, authorisedAt, outcome }) => authorisedAt && outcome === 'open' && !attemptOf(before, n)?.authorisedAt,
  );
}

/**
 * Back to authorised, because the request in progress was refused. A merchant who waits for the answer to the request
 * sees the refusal there.
 */
function refusedRequest(before: PaymentRecord, after: PaymentRecord, fact: Fact): 'capture' | 'void' | undefined {
  const isRefused = ({ n, outcome, refusedRequests = 0 }: Attempt): boolean =>
    outcome === 'open' && refusedRequests > (attemptOf(before, n)?.refusedRequests ?? 0);
  if (!after.attempts.some(isRefused)) return undefined;
  if (fact.type === 'event') return fact.event.failedRequest;
  if ((fact.type !== 'capture_outcome' && fact.type !== 'void_outcome') || !fact.isRepetition) return undefined;
  return fact.type === 'capture_outcome' ? 'capture' : 'void';
}

/** A submission (not a later step of it) has ended, and the payment is pending. */
function endsPending(before: PaymentRecord, after: PaymentRecord, fact: Fact): boolean {
  if (fact.type !== 'outcome' || after.statusId !== status.pending) return false;
  return attemptOf(before, fact.attempt)?.endedAt === null && latestAttempt(after)?.n === fact.attempt;
}
