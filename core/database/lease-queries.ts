/** The queries and update stages of a lease. All times in them are computed by the database server. */
import type { QueryFilter } from 'mongoose';

/**
 * In an update pipeline: the document is claimed and its lease has not ended. If it is due as well, the lease expired.
 */
export const isClaimed = { $ne: [{ $ifNull: ['$lease.token', null] }, null] };

export interface LeaseQueries<T> {
  readonly untilLeaseEnds: object;
  /**
   * Matches documents that have a due time, from `from` on. The planner uses the partial index only if the type is
   * named.
   */
  readonly hasTime: (from?: Date) => object;
  /** Matches due documents. The server inserts its time before it plans, so this is a range of the index. */
  readonly isDue: (from?: Date) => QueryFilter<T>;
  /**
   * Matches documents that a worker holds, as a range of the index: by the end of their lease. A lease that ended long
   * ago is not matched; every worker can claim that document.
   */
  readonly isHeldBy: (worker: string) => QueryFilter<T>;
  readonly isHeldUnder: (id: unknown, token: string) => QueryFilter<T>;
  readonly claimStage: (worker: string | null, token: string, set?: object) => object;
}

/** `before` matches the members that precede the due time in a compound index. */
export function createLeaseQueries<T>(
  dueMember: keyof T & string,
  leaseMs: number,
  before: QueryFilter<T>,
): LeaseQueries<T> {
  const due = `$${dueMember}`;
  const untilLeaseEnds = { [dueMember]: { $add: ['$$NOW', leaseMs] } };
  const hasTime = (from?: Date): object => ({ [dueMember]: { $type: 'date', ...(from && { $gte: from }) } });

  return {
    untilLeaseEnds,
    hasTime,
    isDue: (from) => ({ ...hasTime(from), $expr: { $lte: [due, '$$NOW'] } }),
    isHeldBy(worker) {
      const [from, until] = [{ $subtract: ['$$NOW', leaseMs] }, { $add: ['$$NOW', leaseMs] }];
      const ends = { $and: [{ $gte: [due, from] }, { $lte: [due, until] }] };
      return { ...before, ...hasTime(), $expr: ends, 'lease.worker': worker };
    },
    isHeldUnder: (id, token) => ({ _id: id, 'lease.token': token }),
    claimStage(worker, token, set = {}) {
      return {
        $set: {
          ...set,
          ...untilLeaseEnds,
          lease: {
            token,
            worker: { $literal: worker },
            claimedAt: '$$NOW',
            expiries: { $add: [{ $ifNull: ['$lease.expiries', 0] }, { $cond: [isClaimed, 1, 0] }] },
          },
        },
      };
    },
  };
}
