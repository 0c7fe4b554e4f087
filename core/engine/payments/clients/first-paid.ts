/** Which payment request is the first paid one of its client: the first one that claims it, permanently. */
import { LRUCache } from 'lru-cache';
import type { Connection, mongo } from 'mongoose';
import { bulkWrite, compareAndSet, toMatch } from '../../../database/bulk-write.ts';
import { clientModel, type Client } from '../../../database/collections/client.ts';
import { createBatcher } from '../../../database/batcher.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

type Paid = Pick<PaymentRecord, 'paidAmount'>;

/**
 * True for the change that first makes a payment paid: from then on its `ftdTypeId` says whether it is the client's
 * first.
 */
export function becomesPaid(before: Paid, next: Paid): boolean {
  return before.paidAmount === null && next.paidAmount !== null;
}

export type Claim = Pick<PaymentRecord, '_id' | 'clientId'>;

/** For each record: 1 if it is its client's first paid request. It becomes that if there is none yet. */
export type FirstTimeTypes = (records: readonly Claim[]) => Promise<(1 | 2)[]>;

type FirstPaid = Pick<Client, '_id' | 'firstPaidId'>;

const cachedClients = 10_000;

export function createFirstPaid(connection: Connection): FirstTimeTypes {
  const collection = clientModel(connection).collection as unknown as mongo.Collection<FirstPaid>;
  const known = new LRUCache<number, number>({ max: cachedClients });

  // One item holds all claims of one caller.
  const claims = createBatcher<readonly Claim[], void>({
    async run(groups) {
      const all = groups.flat();
      const results = await bulkWrite(
        collection,
        all.map(({ _id, clientId }) =>
          compareAndSet<FirstPaid>({ _id: clientId, firstPaidId: null }, { $set: { firstPaidId: _id } }),
        ),
      );
      const matches = new Map(all.map((claim, index) => [claim, toMatch(results[index]!)]));
      const others: number[] = [];
      for (const [{ _id, clientId }, match] of matches) {
        if ('error' in match) continue;
        if (match.value) known.set(clientId, _id);
        else others.push(clientId);
      }
      if (others.length) await read(others);
      return groups.map((group) => {
        const failed = group.flatMap((claim) => {
          const match = matches.get(claim)!;
          return 'error' in match ? [match] : [];
        });
        return failed[0] ?? { value: undefined };
      });
    },
  });

  async function read(clientIds: readonly number[]): Promise<void> {
    const found = collection.find({ _id: { $in: [...clientIds] } }, { projection: { firstPaidId: 1 } });
    for (const { _id, firstPaidId } of await found.toArray()) if (firstPaidId !== null) known.set(_id, firstPaidId);
  }

  return async (records) => {
    const unknown = records.filter(({ clientId }) => !known.has(clientId));
    if (unknown.length) await claims(unknown);
    return records.map(({ _id, clientId }) => (known.get(clientId) === _id ? 1 : 2));
  };
}
