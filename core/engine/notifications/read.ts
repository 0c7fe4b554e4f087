/** Notifications as their owner sees them. */
import type { Connection, QueryFilter } from 'mongoose';
import { notificationModel } from '../../database/collections/notification.ts';
import type {
  AttemptRecord,
  NotificationDocument,
  NotificationState,
} from '../../database/collections/notification.ts';
import { invalidField, notFound } from '../../base/errors.ts';

export interface NotificationView {
  readonly id: string;
  readonly type: string;
  readonly paymentRequestId: number | null;
  readonly sequence: number | null;
  readonly url: string;
  readonly state: NotificationState;
  readonly createdAt: Date;
  /** Null if no attempt is planned, or one is in progress. */
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly AttemptRecord[];
}

/** A notification with its body. */
export interface SentNotification extends NotificationView {
  /** Every attempt sends its UTF-8 bytes. */
  readonly body: string;
}

/** The owner and the environment of the notifications. */
export interface Scope {
  readonly ownerId: number;
  readonly environment: NotificationDocument['environment'];
}

export interface NotificationQuery extends Scope {
  readonly paymentRequestId?: number;
  readonly state?: NotificationState;
  /** Only those whose latest attempt failed; for the state `waiting`. */
  readonly isFailing?: true;
  readonly type?: string;
  /** Created at this time or later. */
  readonly from?: Date;
  /** Created before this time. */
  readonly to?: Date;
  readonly limit: number;
  readonly cursor?: string;
}

export interface NotificationReads {
  /** Newest first. Throws VAL002 for a cursor that is not ours. */
  list(query: NotificationQuery): Promise<{ items: NotificationView[]; nextCursor: string | null }>;
  /** Throws NF001 if the owner has no notification of this id. */
  get(scope: Scope & { readonly id: string }): Promise<NotificationView>;
  /** Throws like `get`. */
  sent(scope: Scope & { readonly id: string }): Promise<SentNotification>;
  /** All notifications of one payment request, in the order of their events. */
  forPayment(paymentRequestId: number): Promise<NotificationView[]>;
}

export function createNotificationReads(connection: Connection): NotificationReads {
  const model = notificationModel(connection);

  async function find({ ownerId, environment, id }: Scope & { readonly id: string }): Promise<NotificationDocument> {
    const row = await model.findOne({ _id: id, ownerId, environment }).lean();
    if (!row) throw notFound('the notification');
    return row;
  }

  return {
    async list({ limit, cursor, from, to, isFailing, ...filter }) {
      const created = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
      const span = Object.keys(created).length > 0 ? { createdAt: created } : {};
      const rows = await model
        .find({
          $and: [
            { ...filter, ...(isFailing && { tries: { $gt: 0 } }), ...span },
            cursor === undefined ? {} : after(readCursor(cursor)),
          ],
        })
        .sort(newestFirst)
        .limit(limit + 1)
        .lean();
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items: items.map(presentRow), nextCursor: rows.length > limit && last ? toCursor(last) : null };
    },

    get: async (which) => presentRow(await find(which)),

    async sent(which) {
      const row = await find(which);
      return { ...presentRow(row), body: row.body };
    },

    async forPayment(paymentRequestId) {
      const rows = await model.find({ paymentRequestId }).sort({ sequence: 1 }).lean();
      return rows.map(presentRow);
    },
  };
}

export function presentRow(row: NotificationDocument): NotificationView {
  const { _id: id, type, paymentRequestId, sequence, url, state, createdAt, dueAt, lease, attempts } = row;
  const nextAttemptAt = lease.token === null ? (dueAt ?? null) : null;
  return { id, type, paymentRequestId, sequence, url, state, createdAt, nextAttemptAt, attempts };
}

type Position = Pick<NotificationDocument, '_id' | 'createdAt'>;

/** The order of a page. */
export const newestFirst = { createdAt: -1, _id: -1 } as const;

/** Finds the rows that follow this one. */
export function after({ _id, createdAt }: Position): QueryFilter<NotificationDocument> {
  return { createdAt: { $lte: createdAt }, $or: [{ createdAt: { $lt: createdAt } }, { _id: { $lt: _id } }] };
}

export function toCursor({ createdAt, _id }: Position): string {
  return Buffer.from(`${createdAt.getTime()}.${_id}`).toString('base64url');
}

/** The last row of the earlier page. Throws VAL002 for a cursor that is not ours. */
export function readCursor(cursor: string): Position {
  const [, time = '', _id] = /^(\d{1,15})\.(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (_id === undefined) throw invalidField('cursor', cursor, 'must be a nextCursor of an earlier answer');
  return { _id, createdAt: new Date(Number(time)) };
}
