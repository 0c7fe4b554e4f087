/** What became of notifications, for their owner. */
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
  /** null where none is planned, or one is under way. */
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly AttemptRecord[];
}

/** With what is sent. */
export interface SentNotification extends NotificationView {
  /** Its UTF-8 bytes, on every attempt. */
  readonly body: string;
}

/** Whose notifications. */
export interface Scope {
  readonly ownerId: number;
  readonly environment: NotificationDocument['environment'];
}

export interface NotificationQuery extends Scope {
  readonly paymentRequestId?: number;
  readonly state?: NotificationState;
  readonly type?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export interface NotificationReads {
  /** Newest first. Throws VAL002 on a cursor that is not ours. */
  list(query: NotificationQuery): Promise<{ items: NotificationView[]; nextCursor: string | null }>;
  /** Throws NF001 where the owner has none of this id. */
  get(scope: Scope & { readonly id: string }): Promise<NotificationView>;
  /** As `get`. */
  sent(scope: Scope & { readonly id: string }): Promise<SentNotification>;
  /** All of one payment request, in the order of their events. */
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
    async list({ limit, cursor, ...filter }) {
      const rows = await model
        .find({ ...filter, ...(cursor !== undefined && after(readCursor(cursor))) })
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

type Placed = Pick<NotificationDocument, '_id' | 'createdAt'>;

/** In the order of a page. */
export const newestFirst = { createdAt: -1, _id: -1 } as const;

/** Finds what comes behind this one on a page. */
export function after({ _id, createdAt }: Placed): QueryFilter<NotificationDocument> {
  return { createdAt: { $lte: createdAt }, $or: [{ createdAt: { $lt: createdAt } }, { _id: { $lt: _id } }] };
}

export function toCursor({ createdAt, _id }: Placed): string {
  return Buffer.from(`${createdAt.getTime()}.${_id}`).toString('base64url');
}

/** The one that a page ended with. Throws VAL002 on a cursor that is not ours. */
export function readCursor(cursor: string): Placed {
  const [, time = '', _id] = /^(\d{1,15})\.(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (_id === undefined) throw invalidField('cursor', cursor, 'must be a nextCursor of an earlier answer');
  return { _id, createdAt: new Date(Number(time)) };
}
