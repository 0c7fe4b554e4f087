/** The money for which an account must keep its identity: fetches and refunds at another identity find nothing. */
import type { Connection } from 'mongoose';
import { paymentRequestModel, status } from '../../../database/collections/payment-request.ts';
import { mainAccount, parseAccountRef } from '../account-ref.ts';

/** Operators need to know whether there are few or many, and should not wait until all are counted. */
export const countedOpen = 1000;

/** The count as text: `3`, or `more than 1,000`. */
export function openCountText(count: number): string {
  return count > countedOpen ? `more than ${countedOpen.toLocaleString('en')}` : String(count);
}

/** The time after a payment within which a chargeback is possible. */
export const CHARGEBACK_WINDOW_MS = 180 * 86_400_000;
/** A count above `countedOpen` only means "more than that". */
export interface HeldMoney {
  /** Payments whose outcome is not yet known. */
  readonly open: number;
  /** Payments of the last 180 days that can still be refunded. */
  readonly refundable: number;
  /** Payments with an open dispute. */
  readonly disputed: number;
}

/** Thrown if the identity of an account would change, or the account would be removed, while money depends on it. */
export class HeldMoneyError extends Error {
  override readonly name = 'HeldMoneyError';

  constructor(ref: string, { open, refundable, disputed }: HeldMoney, cure: string) {
    super(
      `${ref} has money: open payments: ${openCountText(open)}, payments of the last 180 days that can be refunded: ` +
        `${openCountText(refundable)}, payments with an open dispute: ${openCountText(disputed)}. ${cure}`,
    );
  }
}

/** `sides`: false counts live payments, true counts test payments. */
export async function readHeldMoney(
  connection: Connection,
  ref: string,
  now: Date,
  sides: readonly boolean[],
): Promise<HeldMoney> {
  const payments = paymentRequestModel(connection);
  const since = new Date(now.getTime() - CHARGEBACK_WINDOW_MS);
  const own = { ...ownAttempts(ref), ...(sides.length === 1 && { sandbox: sides[0] }) };
  const count = async (filter: object): Promise<number> => payments.countDocuments(filter, { limit: countedOpen + 1 });
  const [open, refundable, disputed] = await Promise.all([
    count(withAttempt(own, { outcome: 'open' })),
    count({
      ...withAttempt(own, { outcome: 'succeeded', settledAt: { $gt: since } }),
      statusId: { $ne: status.refunded },
    }),
    count({ ...withAttempt(own, {}), problems: 'dispute_open' }),
  ]);
  return { open, refundable, disputed };
}

/** The attempts of one account that ended since a time. A count above `countedOpen` only means "more than that". */
export interface EndedAttempts {
  readonly succeeded: number;
  readonly failed: number;
}

export async function readEndedAttempts(connection: Connection, ref: string, since: Date): Promise<EndedAttempts> {
  const payments = paymentRequestModel(connection);
  const count = async (outcome: 'succeeded' | 'failed'): Promise<number> =>
    payments.countDocuments(withAttempt(ownAttempts(ref), { outcome, settledAt: { $gt: since } }), {
      limit: countedOpen + 1,
    });
  const [succeeded, failed] = await Promise.all([count('succeeded'), count('failed')]);
  return { succeeded, failed };
}

export function isMoneyHeld({ open, refundable, disputed }: HeldMoney): boolean {
  return open + refundable + disputed > 0;
}

interface Which {
  readonly adapter: string;
  /** Null: only `main`. Absent: all accounts of the adapter. */
  readonly account?: string | null;
  /** Absent: live and test payments. */
  readonly sandbox?: boolean | undefined;
}

function ownAttempts(ref: string): Which {
  const { adapter, account } = parseAccountRef(ref);
  return { adapter, account: account === mainAccount ? null : account };
}

/**
 * The filter of payments with such an attempt. A reference without an account means all accounts of the adapter. The
 * type is needed: without it the query planner does not use the partial index.
 */
export function withAttempt(which: string | Which, attempt: object): object {
  if (typeof which === 'string') {
    const { adapter, account } = parseAccountRef(which);
    return withAttempt(account === mainAccount ? { adapter } : { adapter, account }, attempt);
  }
  const filter = { attempts: { $elemMatch: { ...which, ...attempt } } };
  return typeof which.account === 'string' ? { 'attempts.account': { $type: 'string' }, ...filter } : filter;
}
