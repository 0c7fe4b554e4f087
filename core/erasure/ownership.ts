/** Decides which stored data is about the payer. A callback may contain events of several payments. */
import type { InboxEvent, InboxRow } from '../database/collections/inbox-row.ts';
import type { TextEraser } from './texts.ts';

export interface Subject {
  /** The payments that are erased. */
  readonly paymentIds: ReadonlySet<number>;
  readonly texts: TextEraser;
}

/**
 * An event without a payment belongs to the payer if it contains an identifier of the payer, or if it is the only event
 * of its message.
 */
export function isOfPayer({ events }: InboxRow, one: InboxEvent, { paymentIds, texts }: Subject): boolean {
  if (one.paymentRequestId !== null) return paymentIds.has(one.paymentRequestId);
  return events.length === 1 || texts.isIn(JSON.stringify(one));
}

/** True if no event of the row is about another payer. */
export function isOnlyAboutPayer(row: InboxRow, subject: Subject): boolean {
  return row.events.every((one) => isOfPayer(row, one, subject));
}
