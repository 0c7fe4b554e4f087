/** Sums of an owner's payment requests by day, provider, method, currency and status. */
import { paymentMethods, type PaymentMethod } from '@paywright/contract';
import type { Connection } from 'mongoose';
import { manyDocuments } from '../../../database/connect.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import type { Caller } from '../types/caller.ts';

export interface PaymentSum {
  /** UTC, `2026-11-21`. */
  readonly day: string;
  readonly providerId: number;
  readonly methodId: number;
  /** The currency of the charge, else the unit as sent. */
  readonly currency: string;
  readonly status: number;
  readonly count: number;
  /** Decimal text. */
  readonly amount: string;
}

interface Group {
  readonly _id: { day: string; providerId: number; method: PaymentMethod | null; currency: string; status: number };
  readonly count: number;
  readonly amount: string;
}

const DAY_MS = 86_400_000;

/** Both days are included. Row by row, in ascending order of days. */
export function reportPayments(connection: Connection) {
  const model = paymentRequestModel(connection);
  return async function* (
    caller: Caller,
    span: { readonly from: string; readonly to: string },
  ): AsyncGenerator<PaymentSum> {
    const from = new Date(`${span.from}T00:00:00Z`);
    const until = new Date(new Date(`${span.to}T00:00:00Z`).getTime() + DAY_MS);
    const latest = { $last: '$attempts' };
    const cursor = model
      .aggregate<Group>([
        { $match: { ownerId: caller.ownerId, environment: caller.environment, createdAt: { $gte: from, $lt: until } } },
        { $set: { latest } },
        {
          $group: {
            _id: {
              day: { $dateToString: { date: '$createdAt', format: '%Y-%m-%d' } },
              providerId: { $ifNull: ['$latest.providerCode', 0] },
              method: { $ifNull: ['$latest.method', null] },
              currency: { $ifNull: ['$latest.currency', '$unit'] },
              status: '$statusId',
            },
            count: { $sum: 1 },
            // A double charge counts with both amounts.
            amount: { $sum: { $ifNull: ['$paidAmount', '$amount'] } },
          },
        },
        { $sort: { _id: 1 } },
      ])
      .option(manyDocuments)
      .cursor({ batchSize: 500 });
    for await (const row of cursor) {
      const { _id, count, amount } = fromDocument(row) as Group;
      const { method, ...group } = _id;
      yield { ...group, methodId: method ? paymentMethods[method] : 0, count, amount };
    }
  };
}
