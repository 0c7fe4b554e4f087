/** Searches the notifications of all owners, for an operator. Every search uses an index. */
import type { Connection, QueryFilter } from 'mongoose';
import { ownerRangesOf, type OwnerScope } from '../access/owner-ranges.ts';
import {
  notificationModel,
  receiverNamesOf,
  type NotificationDocument,
  type NotificationState,
} from '../../database/collections/notification.ts';
import { notFound } from '../../base/errors.ts';
import { after, newestFirst, presentRow, readCursor, toCursor, type NotificationView } from './read.ts';

export interface NotificationFilter extends OwnerScope {
  readonly state?: NotificationState;
  /** True: an attempt of the current round has failed. */
  readonly isFailing?: true;
  readonly type?: string;
  /** Sent to this host and port. Needs `ownerId`. */
  readonly host?: string;
  /** Created at this time or later. */
  readonly from?: Date;
  /** Created before this time. */
  readonly to?: Date;
}

export interface NotificationSearch extends NotificationFilter {
  readonly paymentRequestId?: number;
  readonly limit: number;
  readonly cursor?: string;
}

export interface FoundNotification extends NotificationView {
  readonly ownerId: number;
  readonly environment: NotificationDocument['environment'];
}

export type SearchNotifications = (
  search: NotificationSearch,
) => Promise<{ readonly items: readonly FoundNotification[]; readonly nextCursor: string | null }>;

/** A notification with its body, the bytes of every attempt. */
export type FindNotification = (id: string) => Promise<FoundNotification & { readonly body: string }>;

/** Throws NF001 if there is no notification with this id. */
export function createNotificationFinder(connection: Connection): FindNotification {
  const model = notificationModel(connection);
  return async (id) => {
    const row = await model.findById(id).lean<NotificationDocument | null>();
    if (!row) throw notFound(`notification ${id}`);
    return { ...presentFound(row), body: row.body };
  };
}

/** The conditions of a filter, apart from the owner. */
export function conditionsOf({
  ownerId,
  state,
  isFailing,
  type,
  host,
  from,
  to,
}: NotificationFilter): QueryFilter<NotificationDocument> {
  const created = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  return {
    ...(state && { state }),
    ...(isFailing && { tries: { $gt: 0 } }),
    ...(type !== undefined && { type }),
    ...(ownerId !== undefined && host !== undefined && { receiver: { $in: [...receiverNamesOf(ownerId, host)] } }),
    ...(Object.keys(created).length > 0 && { createdAt: created }),
  };
}

export function createNotificationSearch(connection: Connection): SearchNotifications {
  const model = notificationModel(connection);
  return async (search) => {
    const { paymentRequestId, limit, cursor } = search;
    const whose = paymentRequestId === undefined ? await ownerRangesOf(connection, search) : [{ paymentRequestId }];
    const narrowed = [conditionsOf(search), ...(cursor === undefined ? [] : [after(readCursor(cursor))])];
    const found: NotificationDocument[] = [];
    for (const range of whose) {
      const page = await model
        .find({ $and: [range as QueryFilter<NotificationDocument>, ...narrowed] }, { body: 0 })
        .sort(newestFirst)
        .limit(limit + 1)
        .lean<NotificationDocument[]>();
      found.push(...page);
    }
    const ordered = found.toSorted(byNewest);
    const rows = ordered.slice(0, limit);
    const last = rows.at(-1);
    return {
      items: rows.map(presentFound),
      nextCursor: ordered.length > limit && last ? toCursor(last) : null,
    };
  };
}

function byNewest(one: NotificationDocument, other: NotificationDocument): number {
  return other.createdAt.getTime() - one.createdAt.getTime() || (one._id < other._id ? 1 : -1);
}

function presentFound(row: NotificationDocument): FoundNotification {
  return { ...presentRow(row), ownerId: row.ownerId, environment: row.environment };
}
