/**
 * The lease under which one worker at a time has a document. A document with work to do says in a member of its own when
 * that is due; a claim moves that time to the end of the lease and fences the document with a token. A holder ends its
 * lease with the result it writes. One that ends without a result leaves the token behind: the next claim counts that as
 * an expiry. Times are the database server's, so that the clocks of the workers do not matter.
 */
import { randomUUID } from 'node:crypto';
import { Schema, type Model, type mongo, type QueryFilter } from 'mongoose';
import { createOrphanedClaims, type OrphanedClaim } from './orphaned-claims.ts';

export interface Lease {
  /** Fences the document: only who holds this token may write a result. Null: nobody has claimed it. */
  readonly token: string | null;
  /** Who holds it; `releaseWorker` frees what a dead one held. */
  readonly worker: string | null;
  readonly claimedAt: Date | null;
  /** How many holders ended without a result: high for a document that ends its workers. */
  readonly expiries: number;
}

export interface Leased {
  readonly lease: Lease;
}

/** Of a document that nobody has claimed yet. */
export const noLease: Lease = { token: null, worker: null, claimedAt: null, expiries: 0 };

/** For the `$set` of the write that holds the result: the lease ends, its expiries stay. */
export const endLease = { 'lease.token': null, 'lease.worker': null, 'lease.claimedAt': null } as const;

export const leaseSchema = new Schema<Lease>(
  {
    token: { type: String, default: null },
    worker: { type: String, default: null },
    claimedAt: { type: Date, default: null },
    expiries: { type: Number, default: 0 },
  },
  { _id: false, strict: 'throw' },
);

/**
 * The index of a collection whose documents are leased; only documents with work to do are in it. There is none of who
 * holds them: each claim and each result would change it, and what is held is found where leases end soon.
 */
export function indexLeases<T>(schema: Schema<T>, dueMember: string): void {
  schema.index({ [dueMember]: 1 }, { partialFilterExpression: { [dueMember]: { $type: 'date' } } });
}

/** In an update pipeline: somebody claimed the document and has not ended the lease. Due all the same, it expired. */
export const isClaimed = { $ne: [{ $ifNull: ['$lease.token', null] }, null] };

export interface ClaimOptions<T> {
  /** What a document must be beside due. */
  readonly where?: QueryFilter<T>;
  /** Further members of the update pipeline's `$set`; they see the document as it was before the claim. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Where the caller names its claim itself; never used before. */
  readonly token?: string;
}

export interface NextDue {
  readonly at: Date;
  readonly isDue: boolean;
}

export interface Leases<T> {
  /** Finds what is due, in a query of the caller's, `from` a time on. */
  due(from?: Date): QueryFilter<T>;
  /** Takes those of the documents that are still due, all under one token; gives what it got, longest due first. */
  claim(ids: readonly unknown[], worker: string | null, options?: ClaimOptions<T>): Promise<T[]>;
  /** Takes the one that has been due longest. */
  claimNext(worker: string, options?: ClaimOptions<T>): Promise<T | undefined>;
  /** Begins the lease anew, and sets what else there is to set. False: it was lost. */
  renew(id: unknown, token: string, set?: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Gives the document back undone: due at once, no expiry. False: the lease was lost. */
  release(id: unknown, token: string): Promise<boolean>;
  /**
   * For a holder whose work ended because the database did not answer: what it still holds under the token is due at once
   * and counts no expiry, as soon as this process finds the database answering (`releaseOrphaned`). What is stored by
   * then may be more than the holder knows.
   */
  releaseWhenBack(token: string, worker: string, endWork?: OrphanedClaim['endWork']): void;
  /** Gives back what was abandoned; every claim and look of this process does it first. */
  releaseOrphaned(): Promise<void>;
  /** Makes what a dead worker held due at once; the next claim counts an expiry. Gives how many. */
  releaseWorker(worker: string): Promise<number>;
  /** The tokens under which a worker holds documents. */
  tokensOf(worker: string): Promise<string[]>;
  /** Ends the lease of a holder that died, whose time is over: the expiry counts, and it is due after the delay. */
  postpone(id: unknown, token: string, delayMs: number, set?: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Gives back what a worker holds that stops cleanly: due at once, no expiry. Gives how many. */
  releaseAll(worker: string): Promise<number>;
  /** When the next document is due, or the next lease ends; may be past. */
  nextDueAt(where?: QueryFilter<T>): Promise<Date | undefined>;
  /** The same, `from` a time on, with the server's word on whether that is past. */
  nextDue(where?: QueryFilter<T>, from?: Date): Promise<NextDue | undefined>;
}

/**
 * A batch that is claimed need not survive its server: where a claim gets lost, somebody else claims the documents too, and
 * only one of them can write a result under its token.
 */
const notDurable = { writeConcern: { w: 1, journal: false } } as const;

/** A transaction that was left open holds documents: it is ended before the next try. */
const releaseLimit = { maxTimeMS: 2000 } as const;

/** `before`: what the members may be that come before the time in its index. */
export function createLeases<T extends Leased>(
  model: Model<T>,
  dueMember: keyof T & string,
  leaseMs: number,
  before: QueryFilter<T> = {},
): Leases<T> {
  const documents = model.collection as unknown as mongo.Collection;
  const due = `$${dueMember}`;
  const untilLeaseEnds = { [dueMember]: { $add: ['$$NOW', leaseMs] } };
  const isHeldUnder = (id: unknown, token: string) => ({ _id: id, 'lease.token': token }) as QueryFilter<T>;

  /** Without the type the planner does not see the partial index. */
  const hasTime = (from?: Date): object => ({ [dueMember]: { $type: 'date', ...(from && { $gte: from }) } });

  /** The server puts its time in place before it plans, so that this is a range of the index. */
  const isDue = (from?: Date): QueryFilter<T> => ({ ...hasTime(from), $expr: { $lte: [due, '$$NOW'] } });

  /** By the end of its lease, so that this is a range of the index. What ended long ago is due for everybody. */
  const isHeldBy = (worker: string): QueryFilter<T> => {
    const [from, until] = [{ $subtract: ['$$NOW', leaseMs] }, { $add: ['$$NOW', leaseMs] }];
    const ends = { $and: [{ $gte: [due, from] }, { $lte: [due, until] }] };
    return { ...before, ...hasTime(), $expr: ends, 'lease.worker': worker };
  };

  function claimStage(worker: string | null, token: string, set: object = {}) {
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
  }

  /** Of this process, one after another: two at once would find the same document. */
  let claiming: Promise<unknown> = Promise.resolve();

  const orphaned = createOrphanedClaims(leaseMs, async (token, worker) =>
    update({ ...isHeldBy(worker), 'lease.token': token }, { ...endLease, [dueMember]: '$$NOW' }, releaseLimit),
  );

  /** Where a claim fails the server may have made it all the same: nobody would work on it until the lease ends. */
  async function orGivenBack<R>(token: string, worker: string | null, claim: () => Promise<R>): Promise<R> {
    await orphaned.release();
    try {
      return await claim();
    } catch (error) {
      if (worker !== null) orphaned.add(token, { worker, isUncertain: true });
      throw error;
    }
  }

  async function update(
    where: QueryFilter<T>,
    set: object,
    options: { readonly maxTimeMS?: number } = {},
  ): Promise<number> {
    const { matchedCount } = await model.updateMany(where, [{ $set: set }], { ...options, updatePipeline: true });
    return matchedCount;
  }

  /** By its id, for a sharded collection takes no other way; who is beaten to it takes the next. */
  async function claimFirst(worker: string, { where, set }: ClaimOptions<T>): Promise<T | undefined> {
    const isFree = { ...isDue(), ...where } as QueryFilter<T>;
    for (;;) {
      await orphaned.release();
      const first = await model
        .findOne(isFree, { _id: 1 })
        .sort({ [dueMember]: 1 })
        .lean<{ readonly _id: unknown } | null>();
      if (!first) return undefined;
      const token = randomUUID();
      const found = await orGivenBack(token, worker, async () =>
        model
          .findOneAndUpdate({ ...isFree, _id: first._id } as QueryFilter<T>, [claimStage(worker, token, set)], {
            returnDocument: 'after',
            updatePipeline: true,
          })
          .lean<T | null>(),
      );
      if (found) return found;
    }
  }

  async function nextDue(where?: QueryFilter<T>, from?: Date): Promise<NextDue | undefined> {
    await orphaned.release();
    const found = await model
      .findOne({ ...hasTime(from), ...where } as QueryFilter<T>, {
        at: due,
        isDue: { $lte: [due, '$$NOW'] },
      })
      .sort({ [dueMember]: 1 })
      .lean<NextDue | null>();
    return found ?? undefined;
  }

  return {
    due: isDue,

    async claim(ids, worker, { where, set, token = randomUUID() } = {}) {
      const stage = [claimStage(worker, token, set)];
      const isFree = { ...isDue(), ...where } as mongo.Filter<mongo.Document>;
      return orGivenBack(token, worker, async () => {
        if (ids.length === 1) {
          const found = await documents.findOneAndUpdate({ _id: ids[0] as never, ...isFree }, stage, {
            ...notDurable,
            returnDocument: 'after',
          });
          return found ? [found as unknown as T] : [];
        }
        const chosen = { _id: { $in: ids as never[] } };
        const { matchedCount } = await documents.updateMany({ ...chosen, ...isFree }, stage, notDurable);
        if (matchedCount === 0) return [];
        const found = documents.find({ ...chosen, 'lease.token': token }).sort({ [dueMember]: 1 });
        return (await found.toArray()) as unknown as T[];
      });
    },

    async claimNext(worker, options = {}) {
      const next = claiming.then(async () => claimFirst(worker, options));
      claiming = next.catch(() => undefined);
      return next;
    },

    renew: async (id, token, set = {}) => (await update(isHeldUnder(id, token), { ...set, ...untilLeaseEnds })) === 1,

    release: async (id, token) => (await update(isHeldUnder(id, token), { ...endLease, [dueMember]: '$$NOW' })) === 1,

    releaseWhenBack: (token, worker, endWork) => orphaned.add(token, { worker, ...(endWork && { endWork }) }),

    releaseOrphaned: async () => orphaned.release(),

    async tokensOf(worker) {
      const steps = [{ $match: isHeldBy(worker) }, { $group: { _id: '$lease.token' } }];
      return (await documents.aggregate<{ readonly _id: string }>(steps).toArray()).map(({ _id }) => _id);
    },

    releaseWorker: async (worker) =>
      update(isHeldBy(worker), {
        'lease.worker': null,
        [dueMember]: '$$NOW',
      }),

    postpone: async (id, token, delayMs, set = {}) =>
      (await update(
        { ...isHeldUnder(id, token), ...isDue() },
        {
          ...set,
          ...endLease,
          'lease.expiries': { $add: ['$lease.expiries', 1] },
          [dueMember]: { $add: ['$$NOW', delayMs] },
        },
      )) === 1,

    releaseAll: async (worker) => update(isHeldBy(worker), { ...endLease, [dueMember]: '$$NOW' }),

    nextDueAt: async (where) => (await nextDue(where))?.at,

    nextDue,
  };
}
