/**
 * Who may send which notification, and until when: a row is due, is claimed under a token, and is settled by whoever
 * still holds that token. Times are the database server's, so that the clocks of the workers do not matter.
 */
import { randomUUID } from 'node:crypto';
import type { Model } from 'mongoose';
import type { Slots } from './slots.ts';
import type { AttemptRecord, NotificationDocument, NotificationState } from '../documents/notification.ts';

/** A row that this process may send now, and for how long. */
export interface ClaimedNotification extends Omit<NotificationDocument, '_id' | 'claim' | 'dueAt'> {
  readonly id: string;
  readonly token: string;
}

export interface DueRow {
  readonly _id: string;
  readonly receiver: string;
  readonly ownerId: number;
}

/** What becomes of a row after an attempt. */
export interface Verdict {
  readonly state: NotificationState;
  readonly tries: number;
  /** Until the next attempt; only while waiting. */
  readonly delayMs?: number;
}

export type Leases = ReturnType<typeof createLeases>;

/** Five rounds of ten attempts: enough to see why, and a row stays small. */
const attemptsKept = 50;

// Without `$exists`, or without a word about `fresh`, the planner does not see the index and reads every row.
const isDue = { dueAt: { $exists: true }, $expr: { $lte: ['$dueAt', '$$NOW'] } };
const pipeline = { updatePipeline: true };

export function createLeases(model: Model<NotificationDocument>, leaseMs: number) {
  return {
    /** The rows that have been due longest, without those of some receivers and owners. */
    async findDue(fresh: boolean, except: ReturnType<Slots['full']>, limit: number): Promise<DueRow[]> {
      return model
        .find(
          { fresh, ...isDue, receiver: { $nin: except.receivers }, ownerId: { $nin: except.owners } },
          { receiver: 1, ownerId: 1 },
        )
        .sort({ dueAt: 1 })
        .limit(limit)
        .lean<DueRow[]>();
    },

    /** Takes those of the rows that nobody else has taken. A lease that lapsed is noted as an attempt. */
    async claim(ids: readonly string[], worker: string): Promise<ClaimedNotification[]> {
      const token = randomUUID();
      const lapsed = { $ne: [{ $type: '$claim' }, 'missing'] };
      const lapse = {
        at: '$claim.at',
        ms: null,
        status: null,
        code: 'WH002',
        error: 'the worker ended before the result was known',
      };
      const { modifiedCount } = await model.updateMany(
        { _id: { $in: ids }, ...isDue },
        [
          {
            $set: {
              attempts: { $cond: [lapsed, withAttempt(lapse), '$attempts'] },
              lapses: { $add: ['$lapses', { $cond: [lapsed, 1, 0] }] },
              dueAt: { $add: ['$$NOW', leaseMs] },
              claim: { token, worker: { $literal: worker }, at: '$$NOW' },
            },
          },
        ],
        pipeline,
      );
      if (modifiedCount === 0) return [];
      const rows = await model
        .find({ _id: { $in: ids }, 'claim.token': token })
        .sort({ dueAt: 1 })
        .lean();
      return rows.map(({ _id: id, claim: _claim, dueAt: _dueAt, ...row }) => ({ ...row, id, token }));
    },

    /**
     * Writes the result of an attempt and ends the lease. A row that was asked to be sent again meanwhile is due at
     * once, whatever the result. False: the lease was lost, and nothing is written.
     */
    async settle(row: ClaimedNotification, verdict: Verdict, attempt?: AttemptRecord): Promise<boolean> {
      const { state, tries, delayMs } = verdict;
      const asked = { $ne: ['$round', row.round] };
      const { matchedCount } = await model.updateOne(
        { _id: row.id, 'claim.token': row.token },
        [
          {
            $set: {
              ...(attempt ? { attempts: withAttempt({ $literal: attempt }) } : {}),
              state: { $cond: [asked, 'waiting', state] },
              tries: { $cond: [asked, 0, tries] },
              fresh: false,
              dueAt: { $cond: [asked, '$$NOW', delayMs === undefined ? '$$REMOVE' : { $add: ['$$NOW', delayMs] }] },
              claim: '$$REMOVE',
            },
          },
        ],
        pipeline,
      );
      return matchedCount === 1;
    },

    /** Ends the leases of a worker that is no more. */
    async releaseWorker(worker: string): Promise<number> {
      const held = { 'claim.worker': worker, dueAt: { $exists: true } };
      const { modifiedCount } = await model.updateMany(held, [{ $set: { dueAt: '$$NOW' } }], pipeline);
      return modifiedCount;
    },

    /** When the next row is due, or the next lease ends; without those of some receivers. */
    async nextDueAt(exceptReceivers: readonly string[] = []): Promise<Date | undefined> {
      const times = await Promise.all(
        [true, false].map(async (fresh) => {
          const row = await model
            .findOne({ fresh, dueAt: { $exists: true }, receiver: { $nin: exceptReceivers } }, { dueAt: 1, _id: 0 })
            .sort({ dueAt: 1 })
            .lean();
          return row?.dueAt;
        }),
      );
      return times.filter((time) => time !== undefined).sort((a, b) => a.getTime() - b.getTime())[0];
    },
  };
}

/** Starts a new round for a row; one that is under way now ends first. */
export const newRound = [
  {
    $set: {
      state: 'waiting',
      round: { $add: ['$round', 1] },
      tries: 0,
      lapses: 0,
      fresh: false,
      dueAt: {
        $cond: [{ $and: [{ $eq: [{ $type: '$claim' }, 'object'] }, { $gt: ['$dueAt', '$$NOW'] }] }, '$dueAt', '$$NOW'],
      },
    },
  },
];

function withAttempt(attempt: object) {
  return { $slice: [{ $concatArrays: ['$attempts', [attempt]] }, -attemptsKept] };
}
