/**
 * Pages by (createdAt, id), newest first. Payments that are created between two pages neither shift nor hide anything.
 */
import { invalidField } from '../../../base/errors.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

type Placed = Pick<PaymentRecord, '_id' | 'createdAt'>;

const cursorForm = /^(\d{1,15})-(\d{1,16})$/;

/** The order of a page. */
export const newestFirst = { createdAt: -1, _id: -1 } as const;

export function toCursor({ createdAt, _id }: Placed): string {
  return Buffer.from(`${createdAt.getTime()}-${_id}`).toString('base64url');
}

/**
 * A filter for what comes after the page that ended with this cursor. Throws VAL002 if the cursor is not one of ours.
 */
export function afterCursor(cursor: string): Readonly<Record<string, unknown>> {
  const match = cursorForm.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) throw invalidField('cursor', cursor, 'must be the nextCursor of an earlier page');
  const at = new Date(Number(match[1]));
  return { $or: [{ createdAt: { $lt: at } }, { createdAt: at, _id: { $lt: Number(match[2]) } }] };
}
