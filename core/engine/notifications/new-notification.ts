/** A new notification, and the row that stores it. */
import { noLease } from '../../database/lease.ts';
import { receiverOf, type NotificationDocument } from '../../database/collections/notification.ts';

/** One event for one URL. Every attempt sends exactly the bytes of this body. */
export interface NewNotification {
  /** `<payment request>-<sequence>`; for an event of an owner a unique name, such as `<owner>-version-<day>`. */
  readonly id: string;
  readonly ownerId: number;
  readonly environment: NotificationDocument['environment'];
  readonly paymentRequestId: number | null;
  readonly sequence: number | null;
  readonly type: string;
  readonly url: string;
  readonly body: string;
  readonly createdAt: Date;
  readonly requestId: string;
  /** The trace context of the span that made it due; absent: traces are off. */
  readonly trace?: string;
}

export function toRow({ id, ...entry }: NewNotification): NotificationDocument {
  return {
    _id: id,
    ...entry,
    receiver: receiverOf(entry.ownerId, URL.canParse(entry.url) ? new URL(entry.url).host : 'unreadable'),
    state: 'waiting',
    round: 1,
    tries: 0,
    lease: noLease,
    fresh: true,
    attempts: [],
  };
}
