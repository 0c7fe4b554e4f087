/**
 * The chargeback cases of an attempt: the stage of each, and its amount. A case counts whatever amount and currency the
 * provider reports, but it holds at most what was paid.
 */
import { addDecimals, compareDecimals, subtractDecimals } from '@paywright/contract';
import { groupBy } from '../../../base/group-by.ts';
import { chargedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import type { DisputeStage, ReportedStage } from '../../../database/collections/dispute.ts';
import type { Facts } from '../../../database/collections/payment-request.ts';

export interface Dispute {
  /** The provider's number of the case; null: it gave none. */
  readonly number: string | null;
  readonly stage: DisputeStage;
  /**
   * The part of the paid amount that the case holds while it is open or lost, in the currency of the attempt: at most
   * what was paid, and all of it if the case is in another currency.
   */
  readonly amount: string;
  /** The amount that the provider reports, in its currency. Without one, it is the attempt's own amount. */
  readonly reported: { readonly amount: string; readonly currency: string };
  /** The case is open or lost: the money is not ours to refund. */
  readonly isCounted: boolean;
}

type DisputeFacts = Pick<Facts, 'disputeStages'>;

/** A report without a case number counts only while no case is known. */
export function disputesOf({ disputeStages }: DisputeFacts, attempt: Attempt): Dispute[] {
  const ofAttempt = disputeStages.filter((stage) => stage.attempt === attempt.n);
  const named = ofAttempt.filter(({ subReference }) => subReference !== null);
  const cases = groupBy(named.length ? named : ofAttempt, ({ subReference }) => subReference);
  return [...cases].map(([number, stages]) => {
    const stage = stageOf(stages);
    const { amount, currency = attempt.currency } = amountOf(stages, stage);
    const charged = chargedAmount(attempt);
    const reported = { amount: amount ?? charged, currency };
    return {
      number,
      stage,
      amount: isBeyond(reported, attempt) ? charged : reported.amount,
      reported,
      isCounted: stage === 'opened' || stage === 'lost',
    };
  });
}

/** The sum that open and lost cases of an attempt hold: at most what was paid. */
export function disputedSum(facts: DisputeFacts, attempt: Attempt): string {
  const sum = addDecimals('0', ...countedOf(facts, attempt).map(({ amount }) => amount));
  const charged = chargedAmount(attempt);
  return compareDecimals(sum, charged) > 0 ? charged : sum;
}

/**
 * The part of `disputedSum` that is taken or held: lost cases count in full, but an open case holds only money that was
 * not given back before.
 */
export function heldSum(facts: DisputeFacts, attempt: Attempt, refunded: string): string {
  const lost = addDecimals(
    '0',
    ...countedOf(facts, attempt).flatMap(({ stage, amount }) => (stage === 'lost' ? [amount] : [])),
  );
  const sum = disputedSum(facts, attempt);
  const limit = largerOf(subtractDecimals(chargedAmount(attempt), refunded), lost)!;
  return compareDecimals(sum, limit) > 0 ? limit : sum;
}

/** True if open and lost cases of an attempt are about more than was paid, or about another currency. */
export function exceedsPayment(facts: DisputeFacts, attempt: Attempt): boolean {
  const counted = countedOf(facts, attempt);
  if (!counted.length) return false;
  if (counted.some(({ reported }) => isBeyond(reported, attempt))) return true;
  return compareDecimals(addDecimals('0', ...counted.map(({ amount }) => amount)), chargedAmount(attempt)) > 0;
}

function countedOf(facts: DisputeFacts, attempt: Attempt): Dispute[] {
  return disputesOf(facts, attempt).filter(({ isCounted }) => isCounted);
}

function isBeyond({ amount, currency }: Dispute['reported'], attempt: Attempt): boolean {
  return currency !== attempt.currency || compareDecimals(amount, chargedAmount(attempt)) > 0;
}

/** An amount that a stage reports. `currency` absent: the currency of the attempt. */
export type StageAmount = Pick<ReportedStage, 'amount' | 'currency'>;

/** The amount of the furthest stage, else the largest amount that a stage named. */
function amountOf(reported: readonly ReportedStage[], furthest: DisputeStage): StageAmount {
  const own = reported.find(({ stage, amount }) => stage === furthest && amount !== null);
  return own ?? reported.reduce<StageAmount>(largerAmount, { amount: null });
}

/** The amount that holds more: another currency holds everything. The result does not depend on the order. */
export function largerAmount(one: StageAmount, other: StageAmount): StageAmount {
  if (one.amount === null || other.amount === null) return one.amount === null ? other : one;
  const [left, right] = [one.currency ?? '', other.currency ?? ''];
  if (left !== right) return left > right ? one : other;
  return compareDecimals(one.amount, other.amount) >= 0 ? one : other;
}

export function largerOf(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return compareDecimals(one, other) >= 0 ? one : other;
}

const withoutHint: readonly DisputeStage[] = ['reversed', 'won', 'lost'];

/**
 * `won`, `lost` and `reversed` outrank `opened`. Among themselves the later one wins; without order: `reversed`, `won`,
 * `lost`.
 */
function stageOf(reported: readonly ReportedStage[]): DisputeStage {
  const final = reported.filter(({ stage }) => stage !== 'opened');
  if (!final.length) return 'opened';
  const byRank = (a: ReportedStage, b: ReportedStage): number =>
    withoutHint.indexOf(a.stage) - withoutHint.indexOf(b.stage);
  const ordered = final.every(({ order }) => order !== null);
  return final.toSorted((a, b) => (ordered ? b.order! - a.order! : 0) || byRank(a, b))[0]!.stage;
}
