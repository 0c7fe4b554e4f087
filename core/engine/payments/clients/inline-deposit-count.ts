/**
 * Counts what changes add to the deposits of clients in the very transaction that stores the changes: the sums and the
 * first paid request of a client, by compare-and-set on what was read of it. A client that others change at the same time is
 * left to the job that counts (`count-deposits.ts`), so that nobody waits for the transactions of others.
 */
import type { Connection, mongo } from 'mongoose';
import { clientModel, type Client } from '../../../database/collections/client.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { ConflictError } from '../../../database/transaction.ts';
import { MINUTE } from '../../../base/async/time.ts';
import { depositOf } from './deposits.ts';
import { toIncrements } from './count-deposits.ts';
import { becomesPaid, type WantedChange } from '../store/next-record.ts';
import { remember } from '../store/remember.ts';

export interface InlineDepositCount {
  /** 1: it becomes its client's first paid request, 2: another one is; undefined: its client is not counted along. */
  firstTimeType(record: PaymentRecord): 1 | 2 | undefined;
  /** The payment as it is stored once it is counted; as it is where its client is not counted along. */
  count(before: PaymentRecord, next: PaymentRecord): PaymentRecord;
  /** Rejects with a `ConflictError` where one of the clients is not as it was read. */
  write(session: mongo.ClientSession): Promise<void>;
  /** The transaction failed: these clients are left to the job for a while. */
  abandoned(): void;
}

export type CountInline = (
  changes: readonly WantedChange[],
  clients: ReadonlyMap<number, Client>,
) => InlineDepositCount;

type Update = mongo.AnyBulkWriteOperation<Pick<Client, '_id' | 'counts' | 'firstPaidId'>>;

/** So long a client counts as one that others change at the same time: its transaction failed, or it changed twice in one. */
const CONTENDED_MS = 10 * MINUTE;
const MAX_CONTENDED = 10_000;

export function createInlineDepositCount(connection: Connection): CountInline {
  const collection = clientModel(connection).collection as unknown as mongo.Collection<
    Pick<Client, '_id' | 'counts' | 'firstPaidId'>
  >;
  const contendedUntil = new Map<number, number>();

  function markContended(clientIds: Iterable<number>): void {
    const until = performance.now() + CONTENDED_MS;
    for (const id of clientIds) remember(contendedUntil, id, until, MAX_CONTENDED);
  }

  return (changes, clients) => {
    const seen = new Set<number>();
    for (const { next } of changes) {
      if (seen.has(next.clientId)) markContended([next.clientId]);
      seen.add(next.clientId);
    }
    const at = performance.now();
    const isFree = ({ _id, counting }: Client): boolean =>
      counting.length === 0 && (contendedUntil.get(_id) ?? -Infinity) <= at;
    // Chosen once: what is said of a payment here, its write must hold to.
    const uncontended = new Map([...clients].filter(([id, client]) => seen.has(id) && isFree(client)));
    const updates = new Map<number, Update>();

    return {
      firstTimeType(record) {
        const client = uncontended.get(record.clientId);
        if (!client) return undefined;
        return client.firstPaidId === null || client.firstPaidId === record._id ? 1 : 2;
      },

      count(before, next) {
        const client = uncontended.get(next.clientId);
        const deposit = depositOf(next);
        const isDue = before.depositDue === null && next.depositDue !== null && deposit !== null;
        const isFirst = becomesPaid(before, next) && client?.firstPaidId === null;
        if (!client || !(isDue || isFirst)) return next;
        const { _id, counts, firstPaidId } = client;
        const increments = isDue ? toIncrements([{ before: before.countedDeposit, after: deposit }]) : {};
        updates.set(_id, {
          updateOne: {
            filter: { _id, counts, firstPaidId },
            update: { $inc: { counts: 1, ...increments }, ...(isFirst && { $set: { firstPaidId: next._id } }) },
          },
        });
        if (!isDue) return next;
        return { ...next, depositDue: null, countedDeposit: { ...deposit, version: next.depositDue } };
      },

      async write(session) {
        if (updates.size === 0) return;
        const { matchedCount } = await collection.bulkWrite([...updates.values()], { session, ordered: false });
        if (matchedCount !== updates.size) throw new ConflictError();
      },

      abandoned: () => markContended(updates.keys()),
    };
  };
}
