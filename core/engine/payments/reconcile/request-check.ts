import type { Connection } from 'mongoose';
import { noLease } from '../../../database/lease.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';

/**
 * Requests a fetch for every attempt of a payment, as soon as a worker is free and no matter how often its checks
 * failed before. With `adapter`, only attempts at that adapter are fetched. A worker that checks the payment now is not
 * disturbed and does these fetches afterwards. Returns false if there is no such payment.
 */
export async function requestCheck(connection: Connection, id: number, adapter?: string): Promise<boolean> {
  const asked = { $mergeObjects: ['$$this', requested] };
  const each = adapter === undefined ? asked : { $cond: [{ $eq: ['$$this.adapter', adapter] }, asked, '$$this'] };
  const { matchedCount } = await paymentRequestModel(connection).updateOne(
    { _id: id },
    [
      {
        $set: {
          version: { $add: ['$version', 1] },
          attempts: { $map: { input: '$attempts', in: each } },
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
