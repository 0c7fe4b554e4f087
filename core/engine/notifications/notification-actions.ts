/** Actions of operators on notifications. Each one is audited. */
import type { Connection, QueryFilter } from 'mongoose';
import { ownerRangesOf } from '../access/owner-ranges.ts';
import type { Actor, Audit } from '../audit/index.ts';
import { notificationModel, type NotificationDocument } from '../../database/collections/notification.ts';
import { notFound } from '../../base/errors.ts';
import { newRound } from './delivery-queue.ts';
import { after, newestFirst } from './read.ts';
import { conditionsOf, type NotificationFilter } from './search.ts';

/** Selects the notifications of one state. */
export interface ResendFilter extends NotificationFilter {
  readonly state: NonNullable<NotificationFilter['state']>;
}

export interface NotificationActions {
  /** Starts a new round of attempts now, whatever the earlier rounds led to. Throws NF001 for an unknown id. */
  resend(by: Actor, id: string): Promise<void>;
  /** How many `resendAll` would send again. Very many are not counted to the end, see `resendCountText`. */
  count(filter: ResendFilter): Promise<number>;
  /** The same for all that match when it starts. Returns how many. `onProgress` receives the number so far. */
  resendAll(by: Actor, filter: ResendFilter, onProgress?: (resent: number) => void): Promise<number>;
}

/** Operators want to know whether it is a few or very many. They should not wait until all are counted. */
const countedToResend = 100_000;

/** True if there are more than were counted. */
export function isCutResendCount(count: number): boolean {
  return count > countedToResend;
}

/** The count as text: `3`, or `more than 100,000`. */
export function resendCountText(count: number): string {
  return isCutResendCount(count) ? `more than ${countedToResend.toLocaleString('en')}` : String(count);
}

/** The most rows of one write. */
const page = 500;

export function createNotificationActions({
  connection,
  audit,
  countedAtMost = countedToResend + 1,
}: {
  readonly connection: Connection;
  readonly audit: Pick<Audit, 'run'>;
  readonly countedAtMost?: number;
}): NotificationActions {
  const model = notificationModel(connection);

  async function filtersOf(filter: ResendFilter): Promise<readonly QueryFilter<NotificationDocument>[]> {
    const ranges = await ownerRangesOf(connection, filter);
    return ranges.map((range) => ({ ...range, ...conditionsOf(filter) }));
  }

  /** Goes from the newest to the oldest, so that notifications created during this are not included. */
  async function* pagesOf(which: QueryFilter<NotificationDocument>): AsyncGenerator<readonly string[]> {
    let last: Pick<NotificationDocument, '_id' | 'createdAt'> | undefined;
    for (;;) {
      const found = await model
        .find({ $and: [which, last ? after(last) : {}] }, { createdAt: 1 })
        .sort(newestFirst)
        .limit(page)
        .lean<Pick<NotificationDocument, '_id' | 'createdAt'>[]>();
      last = found.at(-1);
      if (!last) return;
      yield found.map(({ _id }) => _id);
    }
  }

  return {
    async resend(by, id) {
      const found = await model.findById(id, { state: 1, round: 1 }).lean();
      if (!found) throw notFound(`notification ${id}`);
      const subject = { type: 'notification', id };
      await audit.run(by, { act: 'notification.resend', subject }, async () => {
        const { matchedCount } = await model.updateOne({ _id: id }, newRound, { updatePipeline: true });
        if (matchedCount === 0) throw notFound(`notification ${id}`);
        return { value: undefined, before: { state: found.state }, after: { state: 'waiting' } };
      });
    },

    async count(filter) {
      const limit = countedAtMost;
      const counts = await Promise.all(
        (await filtersOf(filter)).map(async (which) => model.countDocuments(which, { limit })),
      );
      return Math.min(
        counts.reduce((sum, count) => sum + count, 0),
        limit,
      );
    },

    async resendAll(by, filter, onProgress = () => undefined) {
      const { ownerId } = filter;
      const subject = { type: 'notifications', id: ownerId === undefined ? 'all owners' : `owner ${ownerId}` };
      return audit.run(by, { act: 'notifications.resend', subject, plan: filter }, async () => {
        let resent = 0;
        for (const which of await filtersOf(filter)) {
          for await (const ids of pagesOf(which)) {
            const { state } = filter;
            const { modifiedCount } = await model.updateMany({ _id: { $in: [...ids] }, state }, newRound, {
              updatePipeline: true,
            });
            resent += modifiedCount;
            onProgress(resent);
          }
        }
        return { value: resent, before: filter, after: { resent } };
      });
    },
  };
}
