/** Payments whose provider is due to be asked about them, soonest first: the queue of the reconciler. */
import type { Connection } from 'mongoose';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { pageByTime, type TimePage } from '../../../database/page-by-time.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { statusLabelOf, type StatusLabel } from '../record/status-label.ts';

export interface DueCheck {
  readonly id: number;
  readonly ownerId: number;
  readonly createdAt: Date;
  readonly status: StatusLabel;
  readonly amount: string;
  readonly unit: string;
  /** The currency that is charged; before the first attempt, the unit as sent. */
  readonly currency: string;
  /** The adapter of the latest attempt; null: there is none. */
  readonly adapter: string | null;
  /** What the provider is asked about: the payment itself, or its refunds. */
  readonly about: 'payment' | 'refund';
  /** How often the provider was asked about it. */
  readonly checks: number;
  readonly nextCheckAt: Date;
  /** The worker that checks the payment now; null: none. */
  readonly worker: string | null;
}

/** Returns one page. */
export type ListDueChecks = (page: { readonly limit: number; readonly cursor?: string }) => Promise<TimePage<DueCheck>>;

const members = {
  ownerId: 1,
  createdAt: 1,
  statusId: 1,
  cancelledAt: 1,
  amount: 1,
  unit: 1,
  nextCheckAt: 1,
  'lease.worker': 1,
  'lease.token': 1,
  'attempts.adapter': 1,
  'attempts.checks': 1,
  'attempts.currency': 1,
  'attempts.outcome': 1,
  'refunds.state': 1,
  'refunds.checks': 1,
} as const;

type DueRecord = Pick<
  PaymentRecord,
  '_id' | 'ownerId' | 'createdAt' | 'statusId' | 'cancelledAt' | 'amount' | 'unit' | 'lease'
> & {
  readonly nextCheckAt: Date;
  readonly attempts: readonly Pick<Attempt, 'adapter' | 'checks' | 'currency' | 'outcome'>[];
  readonly refunds: readonly Pick<Refund, 'state' | 'checks'>[];
};

export function createDueChecks(connection: Connection): ListDueChecks {
  const payments = paymentRequestModel(connection).collection;
  async function read(from: Date | undefined, limit: number): Promise<readonly DueCheck[]> {
    // The type is needed: without it the query planner does not use the partial index.
    const which = { nextCheckAt: { $type: 'date', ...(from && { $gte: from }) } } as const;
    const found = await payments.find(which, { projection: members }).sort({ nextCheckAt: 1 }).limit(limit).toArray();
    return found.map((one) => present(fromDocument(one) as DueRecord));
  }
  return async (page) => pageByTime(page, ({ nextCheckAt }: DueCheck) => nextCheckAt, read);
}

function present(record: DueRecord): DueCheck {
  const { _id: id, ownerId, createdAt, amount, unit, nextCheckAt, lease, attempts, refunds } = record;
  const open = refunds.filter(({ state }) => state !== 'succeeded' && state !== 'failed');
  const isRefund = open.length > 0 && attempts.every(({ outcome }) => outcome !== 'open');
  return {
    id,
    ownerId,
    createdAt,
    status: statusLabelOf(record),
    amount,
    unit,
    currency: attempts.at(-1)?.currency ?? unit,
    adapter: attempts.at(-1)?.adapter ?? null,
    about: isRefund ? 'refund' : 'payment',
    checks: (isRefund ? open : attempts).reduce((sum, { checks }) => sum + checks, 0),
    nextCheckAt,
    worker: lease.token === null ? null : lease.worker,
  };
}
