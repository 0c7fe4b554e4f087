import type { Connection } from 'mongoose';
import { noLease } from '../../../database/lease.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';

/** Requests a status fetch for the attempt, or for one refund or dispute case of it. */
export function requestFetch(record: PaymentRecord, n: number, subject = ''): PaymentRecord {
  const attempts = record.attempts.map((attempt) =>
    attempt.n === n
      ? {
          ...attempt,
          fetchesRequested: attempt.fetchesRequested + 1,
          fetchFailures: 0,
          fetchSubjects: [...new Set([...attempt.fetchSubjects, subject])].slice(-20),
        }
      : attempt,
  );
  return { ...record, attempts };
}

/**
 * Has every attempt of a payment fetched as soon as a worker comes by, however often its checks failed before. Gives
 * whether there is one; who checks it now is not disturbed, and does this afterwards.
 */
export async function requestCheck(connection: Connection, id: number): Promise<boolean> {
  const { matchedCount } = await paymentRequestModel(connection).updateOne(
    { _id: id },
    [
      {
        $set: {
          version: { $add: ['$version', 1] },
          attempts: { $map: { input: '$attempts', in: { $mergeObjects: ['$$this', requested] } } },
          nextCheckAt: { $cond: [isFree, '$$NOW', '$nextCheckAt'] },
          lease: { $cond: [isFree, noLease, '$lease'] },
        },
      },
    ],
    { updatePipeline: true },
  );
  return matchedCount === 1;
}

const isFree = { $eq: [{ $ifNull: ['$lease.token', null] }, null] };
const requested = {
  fetchesRequested: { $add: ['$$this.fetchesRequested', 1] },
  fetchFailures: 0,
  fetchSubjects: { $setUnion: ['$$this.fetchSubjects', ['']] },
};
