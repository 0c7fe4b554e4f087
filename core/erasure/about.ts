/** Which of what is kept is about the payer, where it may be about others too: a callback tells of several payments. */
import type { InboxEvent, InboxRow } from '../database/collections/inbox-row.ts';
import type { TextEraser } from './texts.ts';

export interface Whose {
  /** Of the payments that are erased. */
  readonly paymentIds: ReadonlySet<number>;
  readonly texts: TextEraser;
}

/** An event that names no payment is the payer's where it says so, or where the whole message is about it alone. */
export function isOfPayer({ events }: InboxRow, one: InboxEvent, { paymentIds, texts }: Whose): boolean {
  if (one.paymentRequestId !== null) return paymentIds.has(one.paymentRequestId);
  return events.length === 1 || texts.isIn(JSON.stringify(one));
}

/** No event of it is about anybody else. */
export function isPayersAlone(row: InboxRow, whose: Whose): boolean {
  return row.events.every((one) => isOfPayer(row, one, whose));
}
