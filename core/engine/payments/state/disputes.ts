/** The chargeback cases of an attempt: the stage of each, and its amount. */
import { addDecimals, compareDecimals } from '@paywright/contract';
import { chargedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import type { DisputeStage, ReportedStage } from '../../../database/collections/dispute.ts';
import type { Facts } from '../../../database/collections/payment-request.ts';

export interface Dispute {
  /** The provider's number of the case; null: it gave none. */
  readonly number: string | null;
  readonly stage: DisputeStage;
  readonly amount: string;
  /** The case is open or lost: the money is not ours to refund. */
  readonly isCounted: boolean;
}

/** A report without a case number counts only while no case is known. */
export function disputesOf({ disputeStages }: Pick<Facts, 'disputeStages'>, attempt: Attempt): Dispute[] {
  const ofAttempt = disputeStages.filter((stage) => stage.attempt === attempt.n);
  const named = ofAttempt.filter(({ subReference }) => subReference !== null);
  const cases = new Map<string | null, ReportedStage[]>();
  for (const stage of named.length ? named : ofAttempt) {
    cases.set(stage.subReference, [...(cases.get(stage.subReference) ?? []), stage]);
  }
  return [...cases].map(([number, reported]) => {
    const stage = stageOf(reported);
    const amount = amountOf(reported, stage) ?? chargedAmount(attempt);
    return { number, stage, amount, isCounted: stage === 'opened' || stage === 'lost' };
  });
}

/** The sum that open and lost cases of an attempt hold. */
export function disputedSum(facts: Pick<Facts, 'disputeStages'>, attempt: Attempt): string {
  const counted = disputesOf(facts, attempt).filter(({ isCounted }) => isCounted);
  return addDecimals('0', ...counted.map(({ amount }) => amount));
}

/** The amount of the furthest stage, else the largest amount that a stage named. */
function amountOf(reported: readonly ReportedStage[], furthest: DisputeStage): string | null {
  const own = reported.find(({ stage }) => stage === furthest)?.amount;
  return own ?? reported.reduce<string | null>((largest, { amount }) => largerOf(largest, amount), null);
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
