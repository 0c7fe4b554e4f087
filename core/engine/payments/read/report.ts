/** Sums of an owner's payment requests by day, provider, method, currency and status. */
import { paymentMethods, type PaymentMethod } from '@paywright/contract';
import type { Connection } from 'mongoose';
import { manyDocuments } from '../../../database/connect.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { accountNameOf, mainAccount } from '../../providers/account-ref.ts';
import type { Caller } from '../types/caller.ts';
import { latestAccount } from './list.ts';

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
  /** `<adapter>/<account>` of the latest attempt; null: none. Only in a report by account. */
  readonly providerAccount?: string | null;
}

export interface ReportQuery {
  /** UTC, `2026-11-21`. Both days are included. */
  readonly from: string;
  readonly to: string;
  /** Only the payment requests whose latest attempt has this account, `<adapter>/<account>`. */
  readonly providerAccount?: string | undefined;
  /** Adds the account to what is grouped. */
  readonly isByAccount?: boolean | undefined;
}

interface Group {
  readonly _id: {
    day: string;
    providerId: number;
    method: PaymentMethod | null;
    currency: string;
    status: number;
    account?: { adapter: string | null; name: string };
  };
  readonly count: number;
  readonly amount: string;
}

const DAY_MS = 86_400_000;

/** Row by row, in ascending order of days. */
export function reportPayments(connection: Connection) {
  const model = paymentRequestModel(connection);
  return async function* (
    caller: Caller,
    { from: first, to, providerAccount, isByAccount }: ReportQuery,
  ): AsyncGenerator<PaymentSum> {
    const from = new Date(`${first}T00:00:00Z`);
    const until = new Date(new Date(`${to}T00:00:00Z`).getTime() + DAY_MS);
    const ofAccount = providerAccount === undefined ? {} : latestAccount(providerAccount);
    const account = {
      adapter: { $ifNull: ['$latest.adapter', null] },
      name: { $ifNull: ['$latest.account', mainAccount] },
    };
    const latest = { $last: '$attempts' };
    const cursor = model
      .aggregate<Group>([
        {
          $match: {
            ownerId: caller.ownerId,
            environment: caller.environment,
            createdAt: { $gte: from, $lt: until },
            ...ofAccount,
          },
        },
        { $set: { latest } },
        {
          $group: {
            _id: {
              day: { $dateToString: { date: '$createdAt', format: '%Y-%m-%d' } },
              providerId: { $ifNull: ['$latest.providerCode', 0] },
              method: { $ifNull: ['$latest.method', null] },
              currency: { $ifNull: ['$latest.currency', '$unit'] },
              status: '$statusId',
              ...(isByAccount && { account }),
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
      const { method, account: found, ...group } = _id;
      const named = found && {
        providerAccount: found.adapter && accountNameOf({ adapter: found.adapter, account: found.name }),
      };
      yield { ...group, methodId: method ? paymentMethods[method] : 0, count, amount, ...named };
    }
  };
}
