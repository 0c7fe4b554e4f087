/** What a provider's report of a refund adds to the facts: one refund, or the sum of all refunds so far. */
import { addDecimals, compareDecimals, subtractDecimals, trimDecimal } from '@paywright/contract';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund, ReportedRefund } from '../../../database/collections/refund.ts';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { addedFacts, refundReasonOf, refused } from './event-result.ts';
import { shortText, type FactResult } from './fact-result.ts';
import { isContradicted, withConfirmation } from './refund-reports.ts';

export function applyRefundEvent(
  record: PaymentRecord,
  attempt: Attempt,
  { event, fetched, at }: { readonly event: MappedEvent; readonly fetched: boolean; readonly at: Date },
  eventId?: string,
): FactResult {
  if (event.amount === null || event.currency === null) return refused(attempt, event, 'it names no amount');
  const amount = trimDecimal(event.amount);
  const state = event.status as ReportedRefund['state'];
  if (event.cumulative) return applyTotal(record, attempt, event, amount, eventId);
  const subReference = event.subReference ?? null;
  if (subReference === null && !eventId) return refused(attempt, event, 'it has neither number nor identity');
  const order = event.orderHint ?? event.occurredAt?.getTime();
  const reason = state === 'pending' || state === 'succeeded' ? undefined : refundReasonOf(event);
  const reported: ReportedRefund = {
    attempt: attempt.n,
    subReference,
    eventId: event.dedupeKey ?? '',
    amount,
    state,
    reportedAt: at,
    ...(reason !== undefined && { failureReason: shortText(reason) }),
    ...(order !== undefined && { order }),
  };
  const refunds = withRefund(record, reported);
  if (subReference === null) {
    // Known for as long as the payment exists, even after its id has left the bounded set.
    if (record.reportedRefunds.some((other) => isSameUnnumbered(other, reported)))
      return { kind: 'nothing', reason: 'known already' };
    return addedFacts({ reportedRefunds: [...record.reportedRefunds, reported], refunds }, attempt, event, eventId);
  }
  const next = withReport({ ...record, refunds }, reported, fetched ? at : undefined);
  if (!next) return { kind: 'nothing', reason: 'nothing new' };
  const { attempts, reportedRefunds } = next;
  return addedFacts({ attempts, reportedRefunds, refunds }, attempt, event, eventId);
}

/**
 * Adds the report of a numbered refund. If it contradicts another report and nothing decides between them, a fetch is
 * requested. `shownAt`: the time of the fetch that shows it. Undefined if the report says nothing new.
 */
function withReport(
  record: PaymentRecord,
  reported: ReportedRefund,
  shownAt: Date | undefined,
): Pick<PaymentRecord, 'reportedRefunds' | 'attempts'> | undefined {
  const { attempt: n, subReference, state } = reported;
  const isAbout = (other: ReportedRefund): boolean => other.attempt === n && other.subReference === subReference;
  const reports = record.reportedRefunds.filter(isAbout);
  const known = reports.find((other) => other.state === state);
  // A refund is only pending until any end of it is known.
  if (state === 'pending' && reports.some((other) => other.state !== 'pending')) return undefined;
  const isMore = !known || compareDecimals(reported.amount, known.amount) > 0;
  const isLater = !known || (reported.order ?? -Infinity) > (known.order ?? -Infinity);
  const { shownAt: earlier, ...merged }: ReportedRefund = {
    ...known,
    ...reported,
    // A repeated report keeps the time of the first one.
    ...(known?.reportedAt && { reportedAt: known.reportedAt }),
    amount: isMore ? reported.amount : known.amount,
    ...(!isLater && known.order !== undefined && { order: known.order }),
  };
  const others = record.reportedRefunds.filter((other) => other !== known);
  const facts: PaymentRecord = { ...record, reportedRefunds: [...others, merged] };
  // A refund that succeeded and needs the merchant after all is shown so by a fetch only if it is.
  const isTakenBack = state === 'needs_merchant' && reports.some((other) => other.state === 'succeeded');
  if (shownAt && (isTakenBack || isContradicted(facts, n, subReference!))) {
    const isLatest = (time: Date): boolean => reports.every((one) => (one.shownAt?.getTime() ?? 0) <= time.getTime());
    const wasShown = earlier instanceof Date && isLatest(earlier);
    if (wasShown && !isMore && !isLater) return undefined;
    return { reportedRefunds: [...others, { ...merged, shownAt }], attempts: record.attempts };
  }
  if (!isMore && !isLater) return undefined;
  // What a fetch showed before this report may be out of date.
  const reportedRefunds = facts.reportedRefunds.map((other): ReportedRefund =>
    isAbout(other) && other.shownAt ? { ...other, shownAt: null } : other,
  );
  const news = { ...facts, reportedRefunds };
  return withConfirmation(news, n, subReference!);
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

/** Our refunds after the report: it is about the one with its number, or the oldest open refund of that amount. */
function withRefund(
  record: PaymentRecord,
  { attempt, subReference, amount, state }: ReportedRefund,
): PaymentRecord['refunds'] {
  if (state === 'pending') return record.refunds;
  const ours = record.refunds.filter((other) => other.attempt === attempt);
  const meant =
    subReference === null
      ? ours.find((other) => isOpen(other) && compareDecimals(other.amount, amount) === 0)
      : ours.find((other) => other.providerReference === subReference);
  if (!meant || meant.state === 'succeeded') return record.refunds;
  if (state === 'needs_merchant' && !isOpen(meant)) return record.refunds;
  const result = state === 'failed' || state === 'needs_merchant' ? state : 'succeeded';
  return record.refunds.map((refund) => (refund === meant ? { ...refund, state: result } : refund));
}
