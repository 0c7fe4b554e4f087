/** What a provider's report of a refund adds to the facts: one refund, or the sum of all refunds so far. */
import { addDecimals, compareDecimals, subtractDecimals, trimDecimal } from '@paywright/contract';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund, ReportedRefund } from '../../../database/collections/refund.ts';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { addedFacts, refused } from './event-result.ts';
import type { FactResult } from './fact-result.ts';

const refundRank = { pending: 0, failed: 1, succeeded: 2, reversed: 3 } as const;

export function applyRefundEvent(
  record: PaymentRecord,
  attempt: Attempt,
  event: MappedEvent,
  eventId?: string,
): FactResult {
  if (event.amount === null || event.currency === null) return refused(attempt, event, 'it names no amount');
  const amount = trimDecimal(event.amount);
  const state = event.status as ReportedRefund['state'];
  if (event.cumulative) return applyTotal(record, attempt, event, amount, eventId);
  const subReference = event.subReference ?? null;
  if (subReference === null && !eventId) return refused(attempt, event, 'it has neither number nor identity');
  const reported: ReportedRefund = { attempt: attempt.n, subReference, eventId: event.dedupeKey ?? '', amount, state };
  const refunds = endRefund(record, reported);
  if (subReference === null) {
    // Known for as long as the payment exists, even after its id has left the bounded set.
    if (record.reportedRefunds.some((other) => isSameUnnumbered(other, reported)))
      return { kind: 'nothing', reason: 'known already' };
    return addedFacts({ reportedRefunds: [...record.reportedRefunds, reported], refunds }, attempt, event, eventId);
  }
  const reports = record.reportedRefunds.filter(
    (other) => other.attempt === attempt.n && other.subReference === subReference,
  );
  const known = reports.find((other) => other.state === state);
  // The success is kept together with the reversal, because only a part of it may have been reversed.
  const isOutranked = reports.some((other) => refundRank[other.state] > refundRank[state]) && !isSettled(state);
  if (isOutranked || (known && compareDecimals(amount, known.amount) <= 0)) {
    return { kind: 'nothing', reason: 'nothing new' };
  }
  const reportedRefunds = [...record.reportedRefunds.filter((other) => other !== known), reported];
  return addedFacts({ reportedRefunds, refunds }, attempt, event, eventId);
}

function isSettled(state: ReportedRefund['state']): boolean {
  return state === 'succeeded' || state === 'reversed';
}

function isSameUnnumbered(one: ReportedRefund, other: ReportedRefund): boolean {
  return one.attempt === other.attempt && one.subReference === null && one.eventId === other.eventId;
}

/** A sum so far. It only grows, and says nothing about money that was not refunded. */
function applyTotal(
  record: PaymentRecord,
  attempt: Attempt,
  event: MappedEvent,
  amount: string,
  eventId?: string,
): FactResult {
  if (event.status !== 'succeeded') return refused(attempt, event, 'a sum so far of what did not succeed');
  const known = record.refundTotals.find((other) => other.attempt === attempt.n);
  if (known && compareDecimals(amount, known.amount) <= 0) return { kind: 'nothing', reason: 'nothing new' };
  const refundTotals = [...record.refundTotals.filter((other) => other !== known), { attempt: attempt.n, amount }];
  const refunds = endCovered(record, attempt.n, known?.amount ?? '0', amount);
  return addedFacts({ refundTotals, refunds }, attempt, event, eventId);
}

/**
 * Ends our open refunds, oldest first, that explain the growth of the sum in addition to the refunds that are known to
 * have succeeded.
 */
function endCovered({ refunds }: PaymentRecord, n: number, from: string, to: string): PaymentRecord['refunds'] {
  const ours = refunds.filter(({ attempt }) => attempt === n);
  let covered = addDecimals(...ours.filter(({ state }) => state === 'succeeded').map(({ amount }) => amount));
  let unexplained = subtractDecimals(to, from);
  return refunds.map((refund) => {
    const { amount } = refund;
    const fits = compareDecimals(amount, unexplained) <= 0 && compareDecimals(addDecimals(covered, amount), to) <= 0;
    if (refund.attempt !== n || !isOpen(refund) || !fits) return refund;
    covered = addDecimals(covered, amount);
    unexplained = subtractDecimals(unexplained, amount);
    return { ...refund, state: 'succeeded' };
  });
}

function isOpen({ state }: Refund): boolean {
  return state !== 'succeeded' && state !== 'failed';
}

/** Ends our refund that the report is about: by number, or the oldest open refund of that amount. */
function endRefund(
  record: PaymentRecord,
  { attempt, subReference, amount, state }: ReportedRefund,
): PaymentRecord['refunds'] {
  if (state === 'pending') return record.refunds;
  const ours = record.refunds.filter((other) => other.attempt === attempt);
  const ended =
    subReference === null
      ? ours.find((other) => isOpen(other) && compareDecimals(other.amount, amount) === 0)
      : ours.find((other) => other.providerReference === subReference);
  if (!ended || ended.state === 'succeeded') return record.refunds;
  const result = state === 'failed' ? 'failed' : 'succeeded';
  return record.refunds.map((refund) => (refund === ended ? { ...refund, state: result } : refund));
}
