/** The disputes of all payments, for operators. Open disputes are sorted by their deadline. */
import type { Connection } from 'mongoose';
import type { Environment } from '../../../base/environment.ts';
import type { DisputeStage } from '../../../database/collections/dispute.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { disputesOf } from '../state/disputes.ts';
import { afterCursor, newestFirst, toCursor } from './cursor.ts';
import { deadlineOf, reasonOf } from './dispute-facts.ts';
import { detailsOfCase } from './payment-details.ts';

export interface ListedDispute {
  /** The provider's number of the case; null: it gave none. */
  readonly case: string | null;
  readonly stage: DisputeStage;
  /** As the provider reports it: decimal text in `currency`. */
  readonly amount: string;
  readonly currency: string;
  readonly reason: string | null;
  /** Until when the dispute must be answered; null: unknown. */
  readonly deadline: Date | null;
  /** When its first report was applied; null: unknown. */
  readonly openedAt: Date | null;
  /** When its latest report arrived; null: unknown. */
  readonly reportedAt: Date | null;
  readonly paymentId: number;
  readonly ownerId: number;
  readonly environment: Environment;
  readonly referenceId: string | null;
  /** The adapter of the disputed charge. */
  readonly adapter: string;
  readonly providerReference: string | null;
}

export interface DisputeQuery {
  /** Absent: all. */
  readonly stage?: DisputeStage | undefined;
  readonly ownerId?: number | undefined;
  readonly environment?: Environment | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface DisputePage {
  readonly items: readonly ListedDispute[];
  /** Null: this is the last page. Open disputes are on one page. */
  readonly nextCursor: string | null;
  /** False if there are more open disputes than one page reads. */
  readonly isComplete: boolean;
}

export type ListDisputes = (query: DisputeQuery) => Promise<DisputePage>;

/** All open disputes are read to sort them. There are seldom more of them than this. */
const maxOpen = 1000;
/** The time limit of one query. */
const limitMs = 2000;

/** What the disputes of a payment are read from. */
export const disputeMembers = {
  ownerId: 1,
  environment: 1,
  createdAt: 1,
  referenceId: 1,
  disputeStages: 1,
  attempts: 1,
  'logs.at': 1,
  'logs.transactionId': 1,
  'logs.details': 1,
} as const;

export function createDisputeList(connection: Connection): ListDisputes {
  const payments = paymentRequestModel(connection).collection;

  async function read(filter: object, limit: number): Promise<readonly PaymentRecord[]> {
    const options = { projection: disputeMembers, maxTimeMS: limitMs };
    const found = await payments.find(filter, options).sort(newestFirst).limit(limit).toArray();
    return found.map((one) => fromDocument(one) as PaymentRecord);
  }

  return async ({ stage, ownerId, environment, cursor, limit }) => {
    const whose = { ...(ownerId !== undefined && { ownerId }), ...(environment && { environment }) };
    const isWanted = (dispute: ListedDispute): boolean => stage === undefined || dispute.stage === stage;
    if (stage === 'opened') {
      const records = await read({ problems: 'dispute_open', ...whose }, maxOpen + 1);
      const items = records.slice(0, maxOpen).flatMap(presentDisputes).filter(isWanted).toSorted(bySoonest);
      return { items, nextCursor: null, isComplete: records.length <= maxOpen };
    }
    // The type is needed: without it the query planner does not use the partial index.
    const disputed = { 'disputeStages.attempt': { $type: 'number' }, ...whose };
    const after = cursor === undefined ? {} : afterCursor(cursor);
    const withStage = stage === undefined ? {} : { 'disputeStages.stage': stage };
    const records = await read({ $and: [disputed, withStage, after] }, limit + 1);
    const shown = records.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.flatMap(presentDisputes).filter(isWanted),
      nextCursor: records.length > limit && last ? toCursor(last) : null,
      isComplete: true,
    };
  };
}

export function presentDisputes(record: PaymentRecord): readonly ListedDispute[] {
  const { _id: paymentId, ownerId, environment, referenceId } = record;
  return record.attempts.flatMap((attempt) =>
    disputesOf(record, attempt).map(({ number, stage, reported }) => {
      const details = detailsOfCase(record, number);
      const reports = record.logs.filter(({ transactionId }) => number !== null && transactionId === number);
      return {
        case: number,
        stage,
        ...reported,
        reason: reasonOf(details),
        deadline: deadlineOf(details),
        openedAt: reports[0]?.at ?? null,
        reportedAt: reports.at(-1)?.at ?? null,
        paymentId,
        ownerId,
        environment,
        referenceId,
        adapter: attempt.adapter,
        providerReference: attempt.providerReference,
      };
    }),
  );
}

/** Disputes without a known deadline come last, the oldest report first. */
function bySoonest(one: ListedDispute, other: ListedDispute): number {
  const timeOf = ({ deadline }: ListedDispute): number => deadline?.getTime() ?? Infinity;
  const [left, right] = [timeOf(one), timeOf(other)];
  if (left !== right) return left - right;
  return (one.reportedAt?.getTime() ?? 0) - (other.reportedAt?.getTime() ?? 0);
}
