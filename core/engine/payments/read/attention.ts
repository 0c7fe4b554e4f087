/**
 * Payments that need an operator although they raise no alarm: a refund whose answer was lost, an open dispute, a
 * payment that is pending for very long. Every query uses an index, reads few documents and has a time limit.
 */
import type { Connection } from 'mongoose';
import { DAY } from '../../../base/async/time.ts';
import type { AlarmAbout } from '../../../database/collections/alarm.ts';
import { attemptOf, latestAttempt } from '../../../database/collections/attempt.ts';
import { paymentRequestModel, status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { isOpenRefund } from '../state/refund-entries.ts';
import { isUnanswered, notListed, unansweredAfterMs, type FoundRecord } from './found-payment.ts';
import { neverTried, type NoRouteOf } from './no-route.ts';
import { disputeMembers, presentDisputes } from './list-disputes.ts';

export interface PaymentAttention extends AlarmAbout {
  /**
   * - `refund_unanswered`: the provider gave no readable answer to a refund
   * - `refund_pending`: a refund has been pending for days
   * - `dispute_open`: a dispute waits for an answer
   * - `pending_long`: the provider has not decided about a payment for a day
   * - `no_route`: no provider can take a payment
   */
  readonly what: 'refund_unanswered' | 'refund_pending' | 'dispute_open' | 'pending_long' | 'no_route';
  readonly paymentId: number;
  readonly adapter: string | null;
  /** The reference of the refund or the number of the dispute; null: none. */
  readonly reference: string | null;
  readonly since: Date;
  /** Until when a dispute must be answered. Absent or null: unknown, or not a dispute. */
  readonly deadline?: Date | null;
  /** For `no_route`: why. */
  readonly reason?: string;
}

const readAtMost = 200;
/** Payments without an attempt, which are nearly always waiting for their payer. */
const untriedAtMost = 100;
const limitMs = 1500;
const refundPendingAfterMs = 3 * DAY;
const pendingAfterMs = DAY;

/** The latest of each. */
export type ReadAttention = () => Promise<readonly PaymentAttention[]>;

export function createReadAttention(
  connection: Connection,
  now: () => Date,
  noRouteOf: NoRouteOf = async () => null,
): ReadAttention {
  const payments = paymentRequestModel(connection).collection;

  async function read<T = FoundRecord>(
    filter: object,
    sort: Readonly<Record<string, 1 | -1>>,
    { projection = notListed, limit = readAtMost }: { readonly projection?: object; readonly limit?: number } = {},
  ): Promise<readonly T[]> {
    const found = payments.find(filter, { projection, maxTimeMS: limitMs }).sort(sort).limit(limit);
    return (await found.toArray()).map((one) => fromDocument(one) as T);
  }

  return async () => {
    const before = (ms: number): Date => new Date(now().getTime() - ms);
    const newest = { createdAt: -1, _id: -1 } as const;
    const [refunds, disputes, pending, untried] = await Promise.all([
      read({ problems: 'refund_pending' }, newest),
      read<PaymentRecord>({ problems: 'dispute_open' }, newest, { projection: disputeMembers }),
      read({ statusId: status.pending, createdAt: { $lt: before(pendingAfterMs) } }, { createdAt: 1 }),
      // In the order of the index of unpaid payments, so that none is sorted.
      read(neverTried, { expiresAt: -1, createdAt: -1 }, { limit: untriedAtMost }),
    ]);
    const reasons = await Promise.all(untried.map(async (record) => noRouteOf(record, now())));
    return [
      ...refunds.flatMap((record) => openRefunds(record, before(unansweredAfterMs), before(refundPendingAfterMs))),
      ...disputes.flatMap(openDisputes),
      ...pending.flatMap((record) => pendingLong(record, before(pendingAfterMs))),
      ...untried.flatMap((record, at) => withoutRoute(record, reasons[at] ?? null)),
    ];
  };
}

function aboutOf({ _id, ownerId, environment }: Pick<PaymentRecord, '_id' | 'ownerId' | 'environment'>) {
  return { paymentId: _id, ownerId, environment };
}

function openRefunds(record: FoundRecord, unanswered: Date, pending: Date): PaymentAttention[] {
  return record.refunds.flatMap((refund): PaymentAttention[] => {
    const { state, reference, amount, requestedAt } = refund;
    if (!isOpenRefund(refund) || state === 'needs_merchant') return [];
    const attempt = attemptOf(record, refund.attempt);
    const lacksAnswer = isUnanswered(state);
    if (requestedAt > (lacksAnswer ? unanswered : pending)) return [];
    const currency = attempt?.currency ?? record.unit;
    const what = lacksAnswer ? 'refund_unanswered' : 'refund_pending';
    const adapter = attempt?.adapter ?? null;
    return [{ ...aboutOf(record), what, adapter, reference, since: requestedAt, money: { amount, currency } }];
  });
}

function openDisputes(record: PaymentRecord): PaymentAttention[] {
  return presentDisputes(record)
    .filter(({ stage }) => stage === 'opened')
    .map(({ case: reference, adapter, amount, currency, deadline, reportedAt }) => ({
      ...aboutOf(record),
      what: 'dispute_open' as const,
      adapter,
      reference,
      since: reportedAt ?? record.createdAt,
      deadline,
      money: { amount, currency },
    }));
}

function withoutRoute(record: FoundRecord, reason: string | null): PaymentAttention[] {
  if (reason === null) return [];
  const { createdAt: since, amount, unit: currency } = record;
  const about = { what: 'no_route', adapter: null, reference: null, since, money: { amount, currency } } as const;
  return [{ ...aboutOf(record), ...about, reason }];
}

/** Reserved money waits for its merchant, and not for the provider. */
function pendingLong(record: FoundRecord, before: Date): PaymentAttention[] {
  const attempt = latestAttempt(record);
  if (attempt?.outcome !== 'open' || attempt.authorisedAt !== null || attempt.openedAt > before) return [];
  const { adapter, reference, openedAt, amount, currency } = attempt;
  return [
    { ...aboutOf(record), what: 'pending_long', adapter, reference, since: openedAt, money: { amount, currency } },
  ];
}
