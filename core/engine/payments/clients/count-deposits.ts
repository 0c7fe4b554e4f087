/**
 * Moves due payments of a client into its sums. Until then a read adds them (`clients.ts`), which is cheap for a few
 * payments. So only a client that was read and has many due payments is counted.
 * The client's sums and the list of the payments that they now include are one write, by compare-and-set. Only then are
 * the payments marked as counted. A process that dies between the two writes leaves that list, and the next count
 * finishes it first: each change is in the sums once.
 */
import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import type { BackgroundTasks } from '../../../base/async/background-tasks.ts';
import { clientModel, type Client } from '../../../database/collections/client.ts';
import { fromDocument, toDecimal } from '../../../database/decimals.ts';
import type { CountedPayment, Deposit } from '../../../database/collections/deposit.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { depositOf, incrementsOf, type DepositChange } from './deposits.ts';

export interface DepositCounting {
  /** Counts a page of the client's due payments; returns their number. 0: nothing is due, or others counted. */
  count(clientId: number): Promise<number>;
  /** The same in the background, unless this process is counting the client already. */
  readonly countSoon: (clientId: number) => void;
}

export interface DepositCountingDeps {
  readonly connection: Connection;
  readonly backgroundTasks: Pick<BackgroundTasks, 'track'>;
}

/** Payments per page: one client's list of them stays far below the size limit of a document. */
const PAGE = 500;

/** A client, as far as a count writes it. */
interface CountedClient extends Pick<Client, '_id' | 'counts' | 'countedBy'> {
  readonly counting: readonly object[];
}

type DueRow = Pick<
  PaymentRecord,
  '_id' | 'paidAmount' | 'paidCurrency' | 'refundedAmount' | 'depositDue' | 'countedDeposit'
>;

const due = { depositDue: { $type: 'number' } } as const;
const rowMembers = { paidAmount: 1, paidCurrency: 1, refundedAmount: 1, depositDue: 1, countedDeposit: 1 };

export function createDepositCounting({ connection, backgroundTasks }: DepositCountingDeps): DepositCounting {
  const clients = clientModel(connection).collection as unknown as mongo.Collection<CountedClient>;
  const payments = paymentRequestModel(connection).collection;
  const inProgress = new Set<number>();

  async function count(clientId: number): Promise<number> {
    const client = await clients.findOne({ _id: clientId }, { projection: { counts: 1, counting: 1 } });
    if (!client) return 0;
    await markCounted(fromDocument(client.counting) as CountedPayment[]);
    // Read after the client: a concurrent count from here on increments its `counts`, and the write below fails.
    const found = await payments
      .find({ clientId, ...due }, { projection: rowMembers })
      .limit(PAGE)
      .toArray();
    const rows = fromDocument(found) as DueRow[];
    if (!rows.length) return 0;
    const counting = rows.map(toCounted);
    const countedBy = randomUUID();
    const { matchedCount } = await clients.updateOne(
      { _id: clientId, counts: client.counts },
      {
        $inc: { counts: 1, ...toIncrements(rows.map(toChange)) },
        $set: { countedBy, counting: counting.map(toStored) },
      },
    );
    if (matchedCount === 0) return 0;
    await markCounted(counting);
    // If this write is lost, the payments are marked once more.
    await clients.updateOne({ _id: clientId, countedBy }, { $set: { counting: [] } }, { writeConcern: { w: 1 } });
    return counting.length;
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
    count,
    countSoon(clientId) {
      if (inProgress.has(clientId)) return;
      inProgress.add(clientId);
      const counted = count(clientId).finally(() => inProgress.delete(clientId));
      backgroundTasks.track('the payments of a client could not be counted: the next read tries again', counted);
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
function toIncrements(changes: readonly DepositChange[]): Record<string, mongo.Decimal128> {
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
