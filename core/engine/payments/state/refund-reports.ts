/**
 * Reports of one numbered refund that contradict each other: it succeeded, and it failed or its money came back. The
 * later report counts, by the provider's order hint or time, or what a fetch shows. Without either, the money counts as
 * back, and no new refund starts before a fetch confirms it.
 */
import { compareDecimals } from '@paywright/contract';
import { attemptOf } from '../../../database/collections/attempt.ts';
import type { Facts, PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { ReportedRefund } from '../../../database/collections/refund.ts';
import { requestFetch } from '../record/request-fetch.ts';

export type RefundFacts = Pick<Facts, 'attempts' | 'refunds' | 'reportedRefunds'>;

/** A refund that succeeded and of which all the money is reported as back. */
interface Contradiction {
  readonly subReference: string;
  /** The amount that was given back to the payer. */
  readonly amount: string;
  /** The reports that say that the money is back. */
  readonly back: readonly ReportedRefund[];
  /** False: the refund succeeded after all. */
  readonly isBack: boolean;
  /** The provider's order or a fetch decides. */
  readonly isDecided: boolean;
}

/**
 * The reports about the refunds of an attempt, without contradictions: a refund whose money is back is reported as
 * `succeeded` and `reversed`, and one that succeeded after all only as `succeeded`.
 */
export function settledReports(facts: RefundFacts, n: number): readonly ReportedRefund[] {
  const reports = facts.reportedRefunds.filter(({ attempt }) => attempt === n);
  return contradictionsOf(facts, n).reduce((current, { subReference, amount, back, isBack }) => {
    const others = current.filter((one) => !back.includes(one));
    if (!isBack) return others;
    // All of it is back, including the parts that were reported as back.
    const given = others.filter((one) => one.subReference !== subReference || one.state !== 'reversed');
    return [...given, { ...back.at(-1)!, amount, state: 'reversed' as const }];
  }, reports);
}

/** The reference of a refund that a fetch must confirm before another refund starts; undefined: there is none. */
export function unconfirmedRefund(facts: RefundFacts, n: number): string | undefined {
  const { fetchesDone = 0, fetchFailures = 0 } = attemptOf(facts, n) ?? {};
  // A fetch that was given up after failures has confirmed nothing.
  const waits = ({ confirmedBy }: ReportedRefund): boolean =>
    confirmedBy !== undefined && (confirmedBy > fetchesDone || fetchFailures > 0);
  return contradictionsOf(facts, n).find(({ isDecided, back }) => !isDecided && back.some(waits))?.subReference;
}

/** Requests a fetch of the refund if its reports contradict each other and nothing decides between them. */
export function withConfirmation(
  record: PaymentRecord,
  n: number,
  number: string,
): Pick<PaymentRecord, 'attempts' | 'reportedRefunds'> {
  const undecided = contradictionsOf(record, n).find(({ subReference }) => subReference === number);
  if (!undecided || undecided.isDecided) return record;
  const { attempts } = requestFetch(record, n, number);
  const confirmedBy = attemptOf({ attempts }, n)!.fetchesRequested;
  const reportedRefunds = record.reportedRefunds.map((one) =>
    undecided.back.includes(one) ? { ...one, confirmedBy } : one,
  );
  return { attempts, reportedRefunds };
}

/** True if the reports of a refund contradict each other. */
export function isContradicted(facts: RefundFacts, n: number, number: string): boolean {
  return contradictionsOf(facts, n).some(({ subReference }) => subReference === number);
}

function contradictionsOf({ refunds, reportedRefunds }: RefundFacts, n: number): Contradiction[] {
  const reports = reportedRefunds.filter(({ attempt, subReference }) => attempt === n && subReference !== null);
  const numbers = new Set(reports.map(({ subReference }) => subReference!));
  return [...numbers].flatMap((subReference): Contradiction[] => {
    const about = reports.filter((one) => one.subReference === subReference);
    const given = about.find(({ state }) => state === 'succeeded');
    const answered = refunds.find(
      (one) => one.attempt === n && one.answeredSucceeded && one.providerReference === subReference,
    );
    const amount = given?.amount ?? answered?.amount;
    if (amount === undefined) return [];
    // What an operator recorded contradicts nothing: it is about money that the provider did not move.
    const isByHand = given ? given.settledByHand : answered?.settledByHand;
    // A part that came back contradicts nothing.
    const back = about.filter((one) => {
      if (one.settledByHand || (isByHand && one.state !== 'reversed')) return false;
      if (one.state === 'failed') return !areEarlier(one, given);
      if (one.state === 'needs_merchant') return isLaterThan(one, given);
      return one.state === 'reversed' && compareDecimals(one.amount, amount) >= 0;
    });
    return back.length ? [{ subReference, amount, back, ...decide(given, back) }] : [];
  });
}

/** Usually a refund needs the merchant and then succeeds. Only a later report, or a fetch, says that it does again. */
function isLaterThan(one: ReportedRefund, given: ReportedRefund | undefined): boolean {
  if (one.shownAt instanceof Date) return true;
  return one.order !== undefined && given?.order !== undefined && one.order > given.order;
}

/**
 * True for reports that earlier versions stored, without a time. For those versions the success counted, and the
 * merchant was notified of it, so it stays.
 */
function areEarlier(failed: ReportedRefund, given: ReportedRefund | undefined): boolean {
  return failed.reportedAt === undefined && given?.reportedAt === undefined;
}

function decide(
  given: ReportedRefund | undefined,
  back: readonly ReportedRefund[],
): Pick<Contradiction, 'isBack' | 'isDecided'> {
  const shownAt = Math.max(...[given, ...back].map((one) => one?.shownAt?.getTime() ?? 0));
  if (shownAt > 0) return { isBack: back.some((one) => one.shownAt?.getTime() === shownAt), isDecided: true };
  const [first, last] = [given?.order, latestOf(back)];
  const isDecided = first !== undefined && last !== undefined && first !== last;
  return { isBack: !isDecided || last > first, isDecided };
}

/** The latest order of the reports; undefined: one of them has none. */
function latestOf(reports: readonly ReportedRefund[]): number | undefined {
  const orders = reports.map(({ order }) => order);
  return orders.includes(undefined) ? undefined : Math.max(...orders.map((order) => order!));
}
