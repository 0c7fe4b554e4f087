/**
 * Counts deposits inline: the transaction that stores changed payments also updates the sums and the first paid request
 * of their clients, by compare-and-set on the client as it was read. A client that others change at the same time is
 * left to the counting job (`count-deposits.ts`), so that no transaction waits for another one.
 */
import { LRUCache } from 'lru-cache';
import type { Connection, mongo } from 'mongoose';
import { clientModel, type Client } from '../../../database/collections/client.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { ConflictError } from '../../../database/transaction.ts';
import { MINUTE } from '../../../base/async/time.ts';
import type { Clients } from './clients.ts';
import { depositOf } from './deposits.ts';
import { toIncrements } from './count-deposits.ts';
import { becomesPaid } from './first-paid.ts';

/** A payment as it is stored, and as its change wants it to be. */
export interface WantedChange {
  readonly before: PaymentRecord;
  readonly next: PaymentRecord;
}

export interface InlineDepositCount {
  /**
   * 1 if the payment becomes its client's first paid request, 2 if another one is. Undefined if its client is not
   * counted inline.
   */
  firstTimeType(record: PaymentRecord): 1 | 2 | undefined;
  /** The payment as it is stored once it is counted; unchanged if its client is not counted inline. */
  count(before: PaymentRecord, next: PaymentRecord): PaymentRecord;
  /** Rejects with a `ConflictError` if one of the clients was changed after it was read. */
  write(session: mongo.ClientSession): Promise<void>;
  /** Call this if the transaction failed: these clients are left to the job for a while. */
  abandoned(): void;
}

export type CountInline = (
  changes: readonly WantedChange[],
  clients: ReadonlyMap<number, Client>,
) => InlineDepositCount;

/** The clients of payments that change together, read once. */
export interface ChangeClients {
  readonly clients: ReadonlyMap<number, Client>;
  /** Undefined: the job counts the changes afterwards. */
  readonly inlineCount: InlineDepositCount | undefined;
  /** 1 for the client's first paid request, 2 for a later one. */
  readonly firstTimeType: (record: PaymentRecord) => Promise<1 | 2>;
}

/**
 * `known`: clients that are read already. `isRepeated`: another process was faster before, so nothing is counted
 * inline. A change that comes alone is not counted inline either: its merchant waits for one command less, and the job
 * counts it together with others.
 */
export type ReadChangeClients = (
  changes: readonly WantedChange[],
  known: ReadonlyMap<number, Client>,
  isRepeated: boolean,
) => Promise<ChangeClients>;

type Update = mongo.AnyBulkWriteOperation<Pick<Client, '_id' | 'counts' | 'firstPaidId'>>;

/** A client is contended for this long after its transaction failed, or after it changed twice in one transaction. */
const CONTENDED_MS = 10 * MINUTE;
const MAX_CONTENDED = 10_000;

export function createInlineDepositCount(connection: Connection): CountInline {
  const collection = clientModel(connection).collection as unknown as mongo.Collection<
    Pick<Client, '_id' | 'counts' | 'firstPaidId'>
  >;
  const contended = new LRUCache<number, true>({ max: MAX_CONTENDED, ttl: CONTENDED_MS });

  function markContended(clientIds: Iterable<number>): void {
    for (const id of clientIds) contended.set(id, true);
  }

  return (changes, clients) => {
    const seen = new Set<number>();
    for (const { next } of changes) {
      if (seen.has(next.clientId)) markContended([next.clientId]);
      seen.add(next.clientId);
    }
    const isFree = ({ _id, counting }: Client): boolean => counting.length === 0 && !contended.has(_id);
    // Chosen once: the write must match what `firstTimeType` and `count` have answered.
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

export function createReadChangeClients(
  clients: Pick<Clients, 'get' | 'firstTimeTypes'>,
  countInline: CountInline,
): ReadChangeClients {
  return async (changes, known, isRepeated) => {
    const unknown = new Set(changes.map(({ next }) => next.clientId).filter((id) => !known.has(id)));
    const ofChanges = new Map([...known, ...(unknown.size ? await clients.get([...unknown]) : [])]);
    const inlineCount = isRepeated || changes.length === 1 ? undefined : countInline(changes, ofChanges);
    const typeOf = new Map<number, 1 | 2>();
    const others: PaymentRecord[] = [];
    for (const { before, next } of changes) {
      if (!becomesPaid(before, next)) continue;
      const type = inlineCount?.firstTimeType(next);
      if (type) typeOf.set(next._id, type);
      else others.push(next);
    }
    const types = others.length ? await clients.firstTimeTypes(others) : [];
    for (const [index, { _id }] of others.entries()) typeOf.set(_id, types[index]!);
    return { clients: ofChanges, inlineCount, firstTimeType: async ({ _id }) => typeOf.get(_id)! };
  };
}
