/** The queue of due notifications: finds them, claims them under a lease, and settles them while that lease is held. */
import type { Model, mongo, QueryFilter } from 'mongoose';
import { bulkWrite, compareAndSet, toMatch } from '../../database/bulk-write.ts';
import { createDueCursor } from '../../database/due-cursor.ts';
import { createBatcher, type ItemResult, type OnWaiting } from '../../database/batcher.ts';
import { createLeases, endLease, isClaimed, type Lease, type NextDue } from '../../database/lease.ts';
import type {
  AttemptRecord,
  NotificationDocument,
  NotificationState,
} from '../../database/collections/notification.ts';
import type { CapacityFilter } from './delivery-limits.ts';

/** A row that this process may send while its lease lasts. */
export interface ClaimedNotification extends Omit<NotificationDocument, '_id' | 'dueAt' | 'lease'> {
  readonly id: string;
  readonly token: string;
  /** How many workers died while they sent it. */
  readonly expiries: number;
}

export interface DueRow {
  readonly _id: string;
  readonly receiver: string;
  readonly ownerId: number;
  readonly dueAt: Date;
  readonly lease: Pick<Lease, 'expiries'>;
}

/** The state of a row after an attempt. */
export interface Verdict {
  readonly state: NotificationState;
  readonly tries: number;
  /** Time until the next attempt; only for the state `waiting`. */
  readonly delayMs?: number;
  /** Raises no alarm although the row is exhausted: its endpoint is disabled, and that has its own alarm. */
  readonly isSilent?: true;
}

interface Settled {
  readonly row: ClaimedNotification;
  readonly verdict: Verdict;
  readonly attempt: AttemptRecord | undefined;
}

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

/** First attempts and retries. The index of due rows starts with this member. */
const ofBoth = { fresh: { $in: [true, false] } } as const;

/** Five rounds of ten attempts: enough to see why, and a row stays small. */
const attemptsKept = 50;

/** `onWaiting` receives the number of results that wait to be written. */
export function createDeliveryQueue(model: Model<NotificationDocument>, leaseMs: number, onWaiting?: OnWaiting) {
  const leases = createLeases(model, 'dueAt', leaseMs, ofBoth);
  const cursors = { fresh: createDueCursor(), again: createDueCursor() };
  // Not through mongoose, which would cast what the pipeline computes.
  const collection = model.collection as unknown as mongo.Collection;

  const results = createBatcher<Settled, boolean>({
    onWaiting,
    async run(items) {
      const matches = (await bulkWrite(collection, items.map(toUsualUpdate))).map(toMatch);
      const rest = items.filter((item, index) => isUsual(item) && isMissed(matches[index]!));
      if (rest.length === 0) return matches;
      const others = (await bulkWrite(collection, rest.map(toUpdate))).map(toMatch);
      return items.map((item, index) => others[rest.indexOf(item)] ?? matches[index]!);
    },
  });

  async function nextDue(exceptReceivers: readonly string[] = []): Promise<NextDue | undefined> {
    const from = earliest(cursors.fresh.start(), cursors.again.start());
    const next = await leases.nextDue({ ...ofBoth, receiver: { $nin: [...exceptReceivers] } }, from);
    for (const cursor of next?.isDue ? [cursors.fresh, cursors.again] : []) {
      if (exceptReceivers.length) cursor.rewind(next!.at);
      else cursor.advance(next!.at, 0);
    }
    return next;
  }

  return {
    /** The rows that have been due longest, among those for which there is capacity. */
    async findDue(fresh: boolean, filter: CapacityFilter, limit: number): Promise<DueRow[]> {
      const cursor = fresh ? cursors.fresh : cursors.again;
      const due = { fresh, ...leases.due(cursor.start()), ...toQuery(filter) };
      const rows = await model
        .find(due, { receiver: 1, ownerId: 1, dueAt: 1, 'lease.expiries': 1 })
        .sort({ dueAt: 1 })
        .limit(limit)
        .lean<DueRow[]>();
      const [oldest] = rows;
      if (oldest && isUnlimited(filter)) cursor.advance(oldest.dueAt, rows.length);
      else if (oldest) cursor.rewind(oldest.dueAt);
      return rows;
    },

    /** Claims the rows that no other worker has claimed. An expired lease is recorded as an attempt. */
    async claim(ids: readonly string[], worker: string): Promise<ClaimedNotification[]> {
      const expired = {
        at: '$lease.claimedAt',
        ms: null,
        status: null,
        code: 'WH002',
        error: 'the worker ended before the result was known',
      };
      const rows = await leases.claim(ids, worker, {
        set: { attempts: { $cond: [isClaimed, withAttempt(expired), '$attempts'] } },
      });
      return rows.map(({ _id: id, lease: { token, expiries }, dueAt: _dueAt, ...row }) => {
        return { ...row, id, token: token!, expiries };
      });
    },

    /**
     * Writes the result of an attempt and ends the lease. If a resend was requested during the attempt, the row is due
     * immediately, whatever the result. False: the lease was lost, and nothing is written.
     */
    settle: async (row: ClaimedNotification, verdict: Verdict, attempt?: AttemptRecord): Promise<boolean> =>
      results({ row, verdict, attempt }),

    /** Frees the rows that may be stored under the token, once the database answers: no worker sends them. */
    releaseWhenBack: (token: string, worker: string): void => leases.releaseWhenBack(token, worker),

    /** Ends the leases of a worker that has died. */
    releaseWorker: async (worker: string): Promise<number> => leases.releaseWorker(worker),

    /** When the next row is due, or the next lease ends. Ignores the rows to some receivers. */
    nextDue,
    nextDueAt: async (exceptReceivers: readonly string[] = []): Promise<Date | undefined> =>
      (await nextDue(exceptReceivers))?.at,
  };
}

/**
 * Usually an attempt is the last one of its row, and no resend was requested during it. Such a result needs no update
 * pipeline, which costs the server several times as much.
 */
function isUsual({ verdict }: Settled): boolean {
  return verdict.delayMs === undefined;
}

function isMissed(match: ItemResult<boolean>): boolean {
  return 'value' in match && !match.value;
}

function toUsualUpdate(settled: Settled): mongo.AnyBulkWriteOperation {
  if (!isUsual(settled)) return toUpdate(settled);
  const { row, verdict, attempt } = settled;
  const { state, tries } = verdict;
  return compareAndSet(
    { _id: row.id as never, 'lease.token': row.token, round: row.round },
    {
      $set: { state, tries, fresh: false, ...endLease },
      $unset: { dueAt: '' },
      ...(attempt && { $push: { attempts: { $each: [attempt], $slice: -attemptsKept } } }),
    },
  );
}

/** If the lease was lost, this is an upsert that cannot be stored, like those of `compareAndSet`. */
function toUpdate({ row, verdict, attempt }: Settled): mongo.AnyBulkWriteOperation {
  const { state, tries, delayMs } = verdict;
  const isResent = { $ne: ['$round', row.round] };
  const set = {
    _id: { $cond: [{ $eq: [{ $type: '$state' }, 'missing'] }, null, '$_id'] },
    ...(attempt ? { attempts: withAttempt({ $literal: attempt }) } : {}),
    state: { $cond: [isResent, 'waiting', state] },
    tries: { $cond: [isResent, 0, tries] },
    fresh: false,
    dueAt: { $cond: [isResent, '$$NOW', delayMs === undefined ? '$$REMOVE' : { $add: ['$$NOW', delayMs] }] },
    ...endLease,
  };
  const filter = { _id: row.id as never, 'lease.token': row.token };
  return { updateOne: { filter, update: [{ $set: set }], upsert: true } };
}

/** Starts a new round of attempts for a row. An attempt in progress ends first. */
export const newRound = [
  {
    $set: {
      state: 'waiting',
      round: { $add: ['$round', 1] },
      tries: 0,
      'lease.expiries': 0,
      fresh: false,
      dueAt: { $cond: [{ $and: [isClaimed, { $gt: ['$dueAt', '$$NOW'] }] }, '$dueAt', '$$NOW'] },
    },
  },
];

/** Undefined if one of them is undefined. */
function earliest(one: Date | undefined, other: Date | undefined): Date | undefined {
  return one && other && (one < other ? one : other);
}

function isUnlimited({ receivers, owners, only, healthyOnly }: CapacityFilter): boolean {
  return receivers.length === 0 && owners.length === 0 && !only && !healthyOnly;
}

function toQuery({ receivers, owners, only, healthyOnly }: CapacityFilter): QueryFilter<NotificationDocument> {
  const filter = {
    receiver: { $nin: [...receivers], ...(only && { $in: [...only] }) },
    ownerId: { $nin: [...owners] },
  };
  if (!healthyOnly) return filter;
  const toHealthy = { receiver: { $in: [...healthyOnly.receivers] } };
  if (healthyOnly.owners === 'all') return { ...filter, $and: [toHealthy] };
  return { ...filter, $or: [toHealthy, { ownerId: { $nin: [...healthyOnly.owners] } }] };
}

function withAttempt(attempt: object) {
  return { $slice: [{ $concatArrays: ['$attempts', [attempt]] }, -attemptsKept] };
}
