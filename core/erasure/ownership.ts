/** Which of what is kept is about the payer, where it may be about others too: a callback tells of several payments. */
import type { InboxEvent, InboxRow } from '../database/collections/inbox-row.ts';
import type { TextEraser } from './texts.ts';

export interface Subject {
  /** Of the payments that are erased. */
  readonly paymentIds: ReadonlySet<number>;
  readonly texts: TextEraser;
}

/** An event that names no payment is the payer's where it says so, or where the whole message is about it alone. */
export function isOfPayer({ events }: InboxRow, one: InboxEvent, { paymentIds, texts }: Subject): boolean {
  if (one.paymentRequestId !== null) return paymentIds.has(one.paymentRequestId);
  return events.length === 1 || texts.isIn(JSON.stringify(one));
}

/** No event of it is about anybody else. */
export function isOnlyAboutPayer(row: InboxRow, subject: Subject): boolean {
  return row.events.every((one) => isOfPayer(row, one, subject));
}
