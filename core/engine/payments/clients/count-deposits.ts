/**
 * Keeps the sums of clients for changes that are not counted inline (`inline-deposit-count.ts`). A payment that was
 * paid or refunded is marked as due, and is counted soon after, together with many others.
 * Each client's sums and the list of the payments that they now include are one write, by compare-and-set. Only then
 * are the payments marked as counted. A process that dies between the two writes leaves that list, and the next count
 * finishes it first: each change is in the sums once. Until a payment is counted, reading the sum adds it
 * (`clients.ts`).
 */
import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { groupBy } from '../../../base/group-by.ts';
import { clientModel, type Client } from '../../../database/collections/client.ts';
import { fromDocument, toDecimal } from '../../../database/decimals.ts';
import type { CountedPayment, Deposit } from '../../../database/collections/deposit.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { depositOf, incrementsOf, type DepositChange } from './deposits.ts';

export interface DepositCounting {
  /**
   * Counts what is due, until the signal aborts; returns the number of payments. What becomes due during the count is
   * left for the next one, unless it fills a page: a few payments cost the server as many commands as five hundred.
   */
  count(signal?: AbortSignal): Promise<number>;
}

/** Payments per page: one client's list of them stays far below the size limit of a document. */
const PAGE = 500;

type DueRow = Pick<
  PaymentRecord,
  '_id' | 'clientId' | 'paidAmount' | 'paidCurrency' | 'refundedAmount' | 'depositDue' | 'countedDeposit'
>;

const due = { depositDue: { $type: 'number' } } as const;
const rowMembers = { clientId: 1, paidAmount: 1, paidCurrency: 1, refundedAmount: 1, depositDue: 1, countedDeposit: 1 };

export function createDepositCounting({ connection }: { readonly connection: Connection }): DepositCounting {
  const clients = clientModel(connection).collection;
  const payments = paymentRequestModel(connection).collection;

  /** The clients with due payments, from this client id on, and the number of these payments: one page at most. */
  async function clientsDue(from: number): Promise<{ readonly ids: readonly number[]; readonly rows: number }> {
    const found = await payments
      .find({ ...due, clientId: { $gte: from } }, { projection: { _id: 0, clientId: 1 } })
      .sort({ clientId: 1 })
      .limit(PAGE)
      .toArray();
    return { ids: [...new Set(found.map(({ clientId }) => clientId as number))], rows: found.length };
  }

  async function countPage(ids: readonly number[]): Promise<number> {
    const known = { _id: { $in: ids as never } };
    const states = (await clients.find(known, { projection: { counts: 1, counting: 1 } }).toArray()) as unknown as Pick<
      Client,
      '_id' | 'counts' | 'counting'
    >[];
    await markCounted(states.flatMap(({ counting }) => fromDocument(counting) as CountedPayment[]));
    // Read after the clients: a concurrent count from here on increments the client's `counts`, and the write below
    // fails.
    const rows = await payments
      .find({ ...due, clientId: { $in: ids as never } }, { projection: rowMembers })
      .sort({ clientId: 1 })
      .limit(PAGE)
      .toArray();
    const rowsOf = groupBy(fromDocument(rows) as DueRow[], ({ clientId }) => clientId);
    const counted = states.flatMap(({ _id, counts }) => {
      const own = rowsOf.get(_id) ?? [];
      return own.length ? [{ _id, counts, changes: own.map(toChange), counting: own.map(toCounted) }] : [];
    });
    if (!counted.length) return 0;
    const countedBy = randomUUID();
    const { matchedCount } = await clients.bulkWrite(
      counted.map(({ _id, counts, changes, counting }) => ({
        updateOne: {
          filter: { _id: _id as never, counts },
          update: {
            $inc: { counts: 1, ...toIncrements(changes) },
            $set: { countedBy, counting: counting.map(toStored) },
          },
        },
      })),
      { ordered: false },
    );
    const own = { ...known, countedBy };
    const first =
      matchedCount === counted.length
        ? counted
        : await clients
            .find(own, { projection: { _id: 1 } })
            .toArray()
            .then((mine) => counted.filter(({ _id }) => mine.some((one) => Number(one._id) === _id)));
    const marked = first.flatMap(({ counting }) => counting);
    await markCounted(marked);
    // If this write is lost, the payments are marked once more.
    await clients.updateMany(own, { $set: { counting: [] } }, { writeConcern: { w: 1 } });
    return marked.length;
  }

  /** May run any number of times, and late: what was counted of a later version stays. */
  async function markCounted(counted: readonly CountedPayment[]): Promise<void> {
    if (!counted.length) return;
    const marked = counted.map(({ paymentRequestId, ...deposit }) => {
      return { _id: paymentRequestId as never, version: deposit.version, countedDeposit: toStored(deposit) };
    });
    const { matchedCount } = await payments.bulkWrite(
      marked.map(({ _id, version, countedDeposit }) => ({
        updateOne: { filter: { _id, depositDue: version }, update: { $set: { countedDeposit, depositDue: null } } },
      })),
      { ordered: false },
    );
    if (matchedCount === marked.length) return;
    // A payment that became due again stays due.
    await payments.bulkWrite(
      marked.map(({ _id, version, countedDeposit }) => {
        const isOlder = [{ countedDeposit: null }, { 'countedDeposit.version': { $lt: version } }];
        return { updateOne: { filter: { _id, $or: isOlder }, update: { $set: { countedDeposit } } } };
      }),
      { ordered: false },
    );
  }

  return {
    async count(signal) {
      let [total, from] = [0, 0];
      for (;;) {
        if (signal?.aborted) return total;
        const { ids, rows } = await clientsDue(from);
        const last = ids.at(-1);
        if (last === undefined) return total;
        const counted = await countPage(ids);
        total += counted;
        // If another process was faster with all of these clients, continue with the clients after them.
        if (counted === 0) from = last + 1;
        else if (rows < PAGE && counted >= rows) return total;
      }
    },
  };
}

function toChange(row: DueRow): DepositChange {
  return { before: row.countedDeposit, after: depositOf(row) };
}

function toCounted(row: DueRow): CountedPayment {
  return { paymentRequestId: row._id, version: row.depositDue!, ...depositOf(row)! };
}

/** The `$inc` of a client. */
export function toIncrements(changes: readonly DepositChange[]): Record<string, mongo.Decimal128> {
  const members = Object.entries(incrementsOf(changes)).flatMap(([currency, { paid, refunded }]) => [
    [`deposits.${currency}.paid`, toDecimal(paid)] as const,
    [`deposits.${currency}.refunded`, toDecimal(refunded)] as const,
  ]);
  return Object.fromEntries(members);
}

function toStored<T extends Deposit>(
  deposit: T,
): Omit<T, 'paid' | 'refunded'> & Record<'paid' | 'refunded', mongo.Decimal128> {
  return { ...deposit, paid: toDecimal(deposit.paid), refunded: toDecimal(deposit.refunded) };
}
