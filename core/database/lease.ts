/**
 * A lease gives one worker at a time the right to work on a document.
 *
 * - A document with work to do has a member that says when the work is due. A claim moves that time to the end of the
 *   lease and stores a token that fences the document: only a write that names the token can store a result.
 * - The holder ends its lease with the write that stores the result. A holder that dies leaves its token behind, and
 *   the next claim counts it as an expiry.
 * - All times are computed by the database server, so the clocks of the workers do not matter.
 */
import { randomUUID } from 'node:crypto';
import { Schema, type Model, type mongo, type QueryFilter } from 'mongoose';
import { createLeaseQueries } from './lease-queries.ts';
import { createOrphanedClaims, type OrphanedClaim } from './orphaned-claims.ts';

export { isClaimed } from './lease-queries.ts';

export interface Lease {
  /**
   * Fences the document: only the holder of this token may store a result. Null: no worker has claimed the document.
   */
  readonly token: string | null;
  /** The worker that holds the lease. `releaseWorker` frees the documents of a dead worker. */
  readonly worker: string | null;
  readonly claimedAt: Date | null;
  /** How many holders ended without a result. A high number means that the document kills its workers. */
  readonly expiries: number;
}

export interface Leased {
  readonly lease: Lease;
}

/** The lease of a document that no worker has claimed yet. */
export const noLease: Lease = { token: null, worker: null, claimedAt: null, expiries: 0 };

/** For the `$set` of the write that stores the result: the lease ends, and its number of expiries stays. */
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
 * Adds the index of a collection whose documents are leased. It contains only documents with work to do. There is no
 * index of the holders, because each claim and each result would change it. Held documents are found by leases that end
 * soon.
 */
export function indexLeases<T>(schema: Schema<T>, dueMember: string): void {
  schema.index({ [dueMember]: 1 }, { partialFilterExpression: { [dueMember]: { $type: 'date' } } });
}

export interface ClaimOptions<T> {
  /** Further conditions, in addition to being due. */
  readonly where?: QueryFilter<T>;
  /** Further members of the update pipeline's `$set`. They see the document as it was before the claim. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** The token of this claim, if the caller chooses it. It must never have been used before. */
  readonly token?: string;
}

export interface NextDue {
  readonly at: Date;
  readonly isDue: boolean;
}

export interface Leases<T> {
  /** A filter that matches due documents, for the caller's own query; with `from`, only those due from this time on. */
  due(from?: Date): QueryFilter<T>;
  /** Claims the documents that are still due, all with one token. Returns the claimed ones, longest due first. */
  claim(ids: readonly unknown[], worker: string | null, options?: ClaimOptions<T>): Promise<T[]>;
  /** Claims the document that has been due longest. */
  claimNext(worker: string, options?: ClaimOptions<T>): Promise<T | undefined>;
  /** Restarts the lease's time and sets the given members. False if the lease was lost. */
  renew(id: unknown, token: string, set?: Readonly<Record<string, unknown>>): Promise<boolean>;
  /**
   * Ends the lease without a result: the document is due immediately, without an expiry. False if the lease was lost.
   */
  release(id: unknown, token: string): Promise<boolean>;
  /**
   * For a holder whose work failed because the database did not answer. The documents that it still holds under the
   * token are released, without an expiry, as soon as this process finds that the database answers (`releaseOrphaned`).
   * By then, more may be stored than the holder knows.
   */
  releaseWhenBack(token: string, worker: string, endWork?: OrphanedClaim['endWork']): void;
  /** Releases what `releaseWhenBack` has collected. Every claim and poll of this process does this first. */
  releaseOrphaned(): Promise<void>;
  /** Makes the documents of a dead worker due immediately. The next claim counts an expiry. Returns their number. */
  releaseWorker(worker: string): Promise<number>;
  /** The tokens under which a worker holds documents. */
  tokensOf(worker: string): Promise<string[]>;
  /** Ends the expired lease of a dead holder: counts the expiry and makes the document due after the delay. */
  postpone(id: unknown, token: string, delayMs: number, set?: Readonly<Record<string, unknown>>): Promise<boolean>;
  /**
   * Releases all documents of a worker that stops cleanly: due immediately, without an expiry. Returns their number.
   */
  releaseAll(worker: string): Promise<number>;
  /** The time at which the next document is due or the next lease ends. May be in the past. */
  nextDueAt(where?: QueryFilter<T>): Promise<Date | undefined>;
  /** Like `nextDueAt`, from the time `from` on. Also says whether the time is in the past by the server's clock. */
  nextDue(where?: QueryFilter<T>, from?: Date): Promise<NextDue | undefined>;
}

/**
 * A claimed batch need not survive a crash of its server: if a claim is lost, another worker claims the documents too,
 * and only one of the two can store a result under its token.
 */
const notDurable = { writeConcern: { w: 1, journal: false } } as const;

/**
 * A transaction that was left open locks documents. This limit ends the attempt; the next attempt ends the transaction
 * first.
 */
const releaseLimit = { maxTimeMS: 2000 } as const;

/** `before` matches the members that precede the due time in a compound index. */
export function createLeases<T extends Leased>(
  model: Model<T>,
  dueMember: keyof T & string,
  leaseMs: number,
  before: QueryFilter<T> = {},
): Leases<T> {
  const documents = model.collection as unknown as mongo.Collection;
  const due = `$${dueMember}`;
  const { untilLeaseEnds, hasTime, isDue, isHeldBy, isHeldUnder, claimStage } = createLeaseQueries<T>(
    dueMember,
    leaseMs,
    before,
  );
  const released = { ...endLease, [dueMember]: '$$NOW' };

  /**
   * `claimNext` calls of this process run one after another, because two concurrent calls would find the same document.
   */
  let claiming: Promise<unknown> = Promise.resolve();

  const orphaned = createOrphanedClaims(leaseMs, async (token, worker) =>
    update({ ...isHeldBy(worker), 'lease.token': token }, released, releaseLimit),
  );

  /**
   * If a claim fails, the server may have stored it anyway. Without a release no worker could work on it until it ends.
   */
  async function releaseIfFailed<R>(token: string, worker: string | null, claim: () => Promise<R>): Promise<R> {
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

  /**
   * Claims by `_id`, because a sharded collection requires it. If another worker is faster, tries the next document.
   */
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
      const found = await releaseIfFailed(token, worker, async () =>
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
      return releaseIfFailed(token, worker, async () => {
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

    release: async (id, token) => (await update(isHeldUnder(id, token), released)) === 1,

    releaseWhenBack: (token, worker, endWork) => orphaned.add(token, { worker, ...(endWork && { endWork }) }),

    releaseOrphaned: async () => orphaned.release(),

    async tokensOf(worker) {
      const steps = [{ $match: isHeldBy(worker) }, { $group: { _id: '$lease.token' } }];
      return (await documents.aggregate<{ readonly _id: string }>(steps).toArray()).map(({ _id }) => _id);
    },

    releaseWorker: async (worker) => update(isHeldBy(worker), { 'lease.worker': null, [dueMember]: '$$NOW' }),

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

    releaseAll: async (worker) => update(isHeldBy(worker), released),

    nextDueAt: async (where) => (await nextDue(where))?.at,

    nextDue,
  };
}
