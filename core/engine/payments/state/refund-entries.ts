/**
 * The refunds of a payment as one list: those that we requested and those that the provider reports. A pure function of
 * the facts, so that answers, notifications and pages always show the same refunds.
 */
import { createHash } from 'node:crypto';
import { addDecimals, compareDecimals, isAboveZero, subtractDecimals } from '@paywright/contract';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { Facts } from '../../../database/collections/payment-request.ts';
import type { Refund, ReportedRefund } from '../../../database/collections/refund.ts';
import type { RefundStatus } from '../types/refund-status.ts';
import { chargesOf } from './charges.ts';
import { isPaymentId } from './provider-references.ts';
import { settledReports } from './refund-reports.ts';

export interface RefundEntry {
  /** Ours, also for a refund that was made at the provider. It never changes. */
  readonly id: string;
  readonly attempt: number;
  /** 1 for the first charge of the payment, 2 for the later charge of a double charge. */
  readonly charge: number;
  /** The provider's reference; null: it gave none so far. */
  readonly reference: string | null;
  /** Decimal text in the currency of the charge. If a part of it came back, the rest. */
  readonly amount: string;
  readonly status: RefundStatus;
  /** Why it failed or came back; null: it did not, or the provider gave no reason. */
  readonly failureReason: string | null;
  /** Null: an earlier version stored the refund without this time. */
  readonly createdAt: Date | null;
  /** When the current result was known; null while the refund is pending. */
  readonly doneAt: Date | null;
  /** The refund that we requested; null: the refund was made at the provider. */
  readonly ours: Refund | null;
}

type RefundFacts = Pick<Facts, 'attempts' | 'refunds' | 'reportedRefunds' | 'refundTotals'>;

/**
 * Our refunds in the order of their requests, then those that were made at the provider. A refund of an attempt that
 * brought no money is not listed: it counts once the attempt is paid.
 */
export function refundEntries(facts: RefundFacts): RefundEntry[] {
  return chargesOf(facts).flatMap((attempt, index) => {
    const charge = { attempt: attempt.n, charge: index + 1 };
    return entriesOf(facts, attempt).map((entry) => ({ ...entry, ...charge }));
  });
}

type Entry = Omit<RefundEntry, 'attempt' | 'charge'>;

function entriesOf(facts: RefundFacts, attempt: Attempt): Entry[] {
  const reports = settledReports(facts, attempt.n);
  const refunds = facts.refunds.filter((refund) => refund.attempt === attempt.n);
  const numbers = numbersOf(refunds, reports, attempt);
  const unnumbered = reports.filter(({ subReference }) => subReference === null);
  const known = refunds.map((refund, index) => {
    const number = numbers[index] ?? null;
    return toOwnEntry(refund, number, number === null ? [] : reportsOf(reports, number));
  });
  const hasTotal = facts.refundTotals.some((total) => total.attempt === attempt.n);
  const ours = hasTotal ? known : withoutSharedReports(known, unnumbered, reports);
  const others = [...new Set(reports.flatMap(({ subReference }) => subReference ?? []))]
    .filter((number) => !numbers.includes(number))
    .map((number) => toReportedEntry(attempt, number, reportsOf(reports, number)));
  const anonymous = unmatched(unnumbered, ours, reports).map((report) => toReportedEntry(attempt, null, [report]));
  const listed = [...ours, ...others, ...anonymous];
  return withReversals([...listed, ...toTotalEntry(facts, attempt, listed)], unnumbered);
}

/**
 * The provider's number of each of our refunds. A refund whose answer has not arrived takes the first report of its
 * amount that did not exist before the request: the provider's callback is often faster than its answer.
 */
function numbersOf(
  refunds: readonly Refund[],
  reports: readonly ReportedRefund[],
  attempt: Attempt,
): (string | null)[] {
  const taken = new Set(refunds.map(({ providerReference }) => providerReference));
  return refunds.map(({ providerReference, state, amount, reportedBefore }) => {
    // Some providers do not number refunds, and answer with the payment's reference.
    if (providerReference !== null) return isPaymentId(attempt, providerReference) ? null : providerReference;
    if (state === 'succeeded') return null;
    const report = reports.find(
      ({ subReference, amount: reported }) =>
        subReference !== null &&
        !taken.has(subReference) &&
        !reportedBefore.includes(subReference) &&
        compareDecimals(reported, amount) === 0,
    );
    const number = report?.subReference ?? null;
    if (number !== null) taken.add(number);
    return number;
  });
}

function reportsOf(reports: readonly ReportedRefund[], number: string): ReportedRefund[] {
  return reports.filter(({ subReference }) => subReference === number);
}

function toOwnEntry(refund: Refund, number: string | null, reports: readonly ReportedRefund[]): Entry {
  const { reference: id, requestedAt: createdAt, state, amount, doneAt = null, failureReason = null } = refund;
  const about = { id, reference: number, createdAt, ours: refund };
  const reported = resultOf(reports, refund.answeredSucceeded ? amount : undefined);
  if (reported.status === 'succeeded' && state === 'succeeded')
    return { ...about, ...reported, doneAt: doneAt ?? reported.doneAt };
  if (reported.status === 'succeeded' || reported.status === 'reversed') return { ...about, ...reported };
  if (state === 'succeeded') return { ...about, amount, status: 'succeeded', failureReason: null, doneAt };
  if (state === 'failed')
    return {
      ...about,
      amount,
      status: 'failed',
      failureReason: failureReason ?? reported.failureReason,
      doneAt: doneAt ?? reported.doneAt,
    };
  if (reported.status === 'failed') return { ...about, ...reported, amount };
  if (state === 'needs_merchant' || reported.status === 'needs_merchant')
    return {
      ...about,
      amount,
      status: 'needs_merchant',
      failureReason: failureReason ?? reported.failureReason,
      doneAt: null,
    };
  return { ...about, amount, status: 'pending', failureReason: null, doneAt: null };
}

function toReportedEntry(attempt: Attempt, number: string | null, reports: readonly ReportedRefund[]): Entry {
  const first = reports[0]!;
  const times = reports.flatMap(({ reportedAt }) => reportedAt ?? []);
  const createdAt = times.toSorted((one, other) => one.getTime() - other.getTime())[0] ?? null;
  return {
    id: `${attempt.reference}-P${shortHash(number ?? `event ${first.eventId}`)}`,
    reference: number,
    createdAt,
    ours: null,
    ...resultOf(reports),
  };
}

/** Stable for the same text, in every order of reports. The provider's own number may be long or contain any letter. */
function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

type Result = Pick<Entry, 'status' | 'amount' | 'failureReason' | 'doneAt'>;

/**
 * The result of the reports about one refund. If a part of the money came back, the rest of it succeeded. `answered`:
 * the amount that the provider's answer said was refunded, if it did.
 */
function resultOf(reports: readonly ReportedRefund[], answered?: string): Result {
  const find = (state: ReportedRefund['state']): ReportedRefund | undefined =>
    reports.find((report) => report.state === state);
  const [pending, failed, succeeded, reversed] = [find('pending'), find('failed'), find('succeeded'), find('reversed')];
  const needing = find('needs_merchant');
  const done = (status: RefundStatus, report: ReportedRefund, amount = report.amount): Result => {
    const { failureReason = null, reportedAt: doneAt = null } = report;
    return { status, amount, failureReason, doneAt };
  };
  if (reversed) {
    const whole = succeeded?.amount ?? answered ?? reversed.amount;
    const rest = subtractDecimals(whole, reversed.amount);
    return isAboveZero(rest) ? done('succeeded', succeeded ?? reversed, rest) : done('reversed', reversed, whole);
  }
  if (succeeded) return done('succeeded', succeeded);
  if (failed) return done('failed', failed);
  if (needing) return { ...done('needs_merchant', needing), doneAt: null };
  return { status: 'pending', amount: pending?.amount ?? '0', failureReason: null, doneAt: null };
}

/** The provider's number of the refund proves that it succeeded. */
function isNumbered({ reference, ours }: Entry, reports: readonly ReportedRefund[]): boolean {
  if (reference === null || ours === null) return false;
  return ours.answeredSucceeded || reportsOf(reports, reference).some(({ state }) => state === 'succeeded');
}

/**
 * A report without a number and an answer may be about the same refund. Refunds of an amount beyond the larger number
 * of both are shown as pending until their own report arrives: the refunded sum does not count them either.
 */
function withoutSharedReports(
  ours: readonly Entry[],
  unnumbered: readonly ReportedRefund[],
  reports: readonly ReportedRefund[],
): Entry[] {
  const isShared = (entry: Entry): boolean => entry.status === 'succeeded' && !isNumbered(entry, reports);
  const isSame = (entry: Entry) => (other: { readonly amount: string }) =>
    compareDecimals(entry.amount, other.amount) === 0;
  return ours.map((entry, index) => {
    if (!isShared(entry)) return entry;
    const same = ours.filter(isShared).filter(isSame(entry));
    const reported = unnumbered.filter(({ state }) => state === 'succeeded').filter(isSame(entry)).length;
    const answered = same.filter(({ ours: refund }) => refund!.answeredSucceeded).length;
    const before = ours.slice(0, index).filter((other) => same.includes(other)).length;
    return before < Math.max(reported, answered) ? entry : { ...entry, status: 'pending', doneAt: null };
  });
}

/**
 * Reported successes without a number that are none of our refunds. Per amount, as many reports as we have refunds are
 * ours: the latest of them.
 */
function unmatched(
  unnumbered: readonly ReportedRefund[],
  ours: readonly Entry[],
  reports: readonly ReportedRefund[],
): ReportedRefund[] {
  const left = ours.filter((entry) => entry.status === 'succeeded' && !isNumbered(entry, reports));
  return unnumbered
    .filter(({ state }) => state === 'succeeded')
    .toReversed()
    .filter(({ amount }) => {
      const index = left.findIndex((entry) => compareDecimals(entry.amount, amount) === 0);
      if (index >= 0) left.splice(index, 1);
      return index < 0;
    })
    .toReversed();
}

/** The part of the provider's running total that no listed refund explains. */
function toTotalEntry({ refundTotals }: RefundFacts, attempt: Attempt, listed: readonly Entry[]): Entry[] {
  const total = refundTotals.find((one) => one.attempt === attempt.n);
  if (!total) return [];
  const given = listed.filter(({ status }) => status === 'succeeded' || status === 'reversed');
  const amount = subtractDecimals(total.amount, addDecimals('0', ...given.map((entry) => entry.amount)));
  if (!isAboveZero(amount)) return [];
  const { reportedAt = null } = total;
  const entry: Entry = {
    id: `${attempt.reference}-PT`,
    reference: null,
    amount,
    status: 'succeeded',
    failureReason: null,
    createdAt: reportedAt,
    doneAt: reportedAt,
    ours: null,
  };
  return [entry];
}

/** Reversals without a number take back the latest refund of their amount, or parts of the latest refunds. */
function withReversals(entries: readonly Entry[], unnumbered: readonly ReportedRefund[]): Entry[] {
  return unnumbered
    .filter(({ state }) => state === 'reversed')
    .reduce<Entry[]>((current, report) => reverse(current, report), [...entries]);
}

function reverse(entries: readonly Entry[], report: ReportedRefund): Entry[] {
  const { amount, failureReason = null, reportedAt: doneAt = null } = report;
  const succeeded = entries.filter(({ status }) => status === 'succeeded').toReversed();
  const exact = succeeded.find((entry) => compareDecimals(entry.amount, amount) === 0);
  let rest = amount;
  const changed = new Map<Entry, Entry>();
  for (const entry of exact ? [exact] : succeeded) {
    if (!isAboveZero(rest)) break;
    const left = subtractDecimals(entry.amount, rest);
    const isWhole = !isAboveZero(left);
    changed.set(entry, isWhole ? { ...entry, status: 'reversed', failureReason, doneAt } : { ...entry, amount: left });
    rest = isWhole ? subtractDecimals(rest, entry.amount) : '0';
  }
  return entries.map((entry) => changed.get(entry) ?? entry);
}

/** The result of our refund is not known yet. */
export function isOpenRefund({ state }: Refund): boolean {
  return state !== 'succeeded' && state !== 'failed';
}

/** The refunds that a change gave, took back or let fail, as they are after it. */
export interface ChangedRefunds {
  /** More money was refunded. */
  readonly given: readonly RefundEntry[];
  /** Refunded money came back. */
  readonly reversed: readonly RefundEntry[];
  /** Failed before they succeeded. */
  readonly failed: readonly RefundEntry[];
  /** The provider cannot send the money. */
  readonly needing: readonly RefundEntry[];
}

/** The id of the first refund that differs; undefined: none does. */
export function changedRefundId(before: RefundFacts, after: RefundFacts): string | undefined {
  const known = new Map(refundEntries(before).map((entry) => [entry.id, entry]));
  return refundEntries(after).find(({ id, status, amount, reference }) => {
    const was = known.get(id);
    return was?.status !== status || was.amount !== amount || was.reference !== reference;
  })?.id;
}

export function changedRefunds(before: RefundFacts, after: RefundFacts): ChangedRefunds {
  if (!after.refunds.length && !after.reportedRefunds.length && !after.refundTotals.length) return unchanged;
  const known = new Map(refundEntries(before).map((entry) => [entry.id, entry]));
  const entries = refundEntries(after);
  const changedTo = (wanted: RefundStatus): RefundEntry[] =>
    entries.filter(({ id, status }) => status === wanted && known.get(id)?.status !== wanted);
  const change = (entry: RefundEntry): number => compareDecimals(givenBy(entry), givenBy(known.get(entry.id)));
  return {
    given: entries.filter((entry) => change(entry) > 0),
    reversed: entries.filter((entry) => change(entry) < 0),
    failed: changedTo('failed'),
    needing: changedTo('needs_merchant'),
  };
}

const unchanged: ChangedRefunds = { given: [], reversed: [], failed: [], needing: [] };

function givenBy(entry: RefundEntry | undefined): string {
  return entry?.status === 'succeeded' ? entry.amount : '0';
}
