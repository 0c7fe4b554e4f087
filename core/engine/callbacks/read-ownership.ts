/**
 * Reads to which mode and accounts payments belong. Many callbacks are answered at the same time, so their reads are
 * one query.
 */
import type { Connection } from 'mongoose';
import { createBatcher, type Batcher } from '../../database/batcher.ts';
import { paymentRequestModel, type PaymentRecord } from '../../database/collections/payment-request.ts';

type Attempt = PaymentRecord['attempts'][number];

export interface Ownership extends Pick<PaymentRecord, 'environment'> {
  readonly attempts: readonly Pick<Attempt, 'adapter' | 'reference' | 'account'>[];
}

const projection = { environment: 1, 'attempts.adapter': 1, 'attempts.reference': 1, 'attempts.account': 1 };

/** Undefined: there is no payment request with this id. `limitMs` limits a query on the server. */
export function createOwnershipReader(connection: Connection, limitMs: number): Batcher<number, Ownership | undefined> {
  const { collectionName } = paymentRequestModel(connection).collection;
  const payments = connection.collection<Ownership & { readonly _id: number }>(collectionName);
  return createBatcher<number, Ownership | undefined>({
    async run(ids) {
      const found = await payments.find({ _id: { $in: [...ids] } }, { projection, maxTimeMS: limitMs }).toArray();
      const byId = new Map(found.map((one) => [one._id, one]));
      return ids.map((id) => ({ value: byId.get(id) }));
    },
  });
}
