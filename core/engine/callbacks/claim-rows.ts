/** Decides which rows of the inbox a worker claims together, and when a row has crashed too many workers. */
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { fromDocument } from '../../database/decimals.ts';
import { createDueCursor, type DueCursor } from '../../database/due-cursor.ts';
import { inboxModel, type InboxRow } from '../../database/collections/inbox-row.ts';
import { createLeases, type Leases } from '../../database/lease.ts';
import { endTransaction } from '../../database/transaction.ts';

/** A row whose lease expired this often crashes its workers: it becomes a dead letter. */
const MAX_EXPIRIES = 5;
/** The most pings that are claimed together. Anyone can send pings, so they must not displace genuine callbacks. */
const PINGS_AT_ONCE = 20;
/** While there are callbacks, pings are polled this often if no notification of a new ping arrives. */
const PINGS_EVERY_MS = 5000;

export interface InboxClaims extends Pick<Leases<InboxRow>, 'nextDueAt' | 'releaseWorker'> {
  /**
   * `transactions`: the id of the transactions in which the rows are settled. A process that takes the rows over from a
   * dead worker ends these transactions.
   */
  claim(limit: number, transactions: string): Promise<InboxRow[]>;
  /**
   * Releases the rows that are still held as soon as the database answers, for work that failed because the database
   * did not answer. `endWork` runs first: it ends the transactions of these rows.
   */
  releaseWhenBack(rows: readonly InboxRow[], endWork?: () => Promise<void>): void;
  /** The row as it is now; undefined if its lease has expired. */
  readHeld(row: InboxRow): Promise<InboxRow | undefined>;
  /** Tells the next claim that a ping may be due. */
  lookForPings(): void;
}

type DueRow = Pick<InboxRow, '_id' | 'lease' | 'dueAt' | 'pingDueAt'>;

interface Queue {
  readonly leases: Leases<InboxRow>;
  readonly dueMember: 'dueAt' | 'pingDueAt';
  readonly cursor: DueCursor;
}

/** `onExpired` receives the number of claimed rows whose lease had expired. */
export function createInboxClaims(
  connection: Connection,
  worker: string,
  leaseMs: number,
  onExpired: (rows: number) => void = () => undefined,
): InboxClaims {
  const model = inboxModel(connection);
  const queueOf = (dueMember: Queue['dueMember']): Queue => {
    return { leases: createLeases(model, dueMember, leaseMs), dueMember, cursor: createDueCursor() };
  };
  const [callbacks, pings] = [queueOf('dueAt'), queueOf('pingDueAt')];
  /** One claim at a time in this process: two concurrent claims would find the same rows. */
  let claiming: Promise<unknown> = Promise.resolve();
  /** When pings were last polled. */
  let pingsAt = -Infinity;

  async function claimFrom(
    { leases, dueMember, cursor }: Queue,
    limit: number,
    transactions: string,
  ): Promise<InboxRow[]> {
    await leases.releaseOrphaned();
    for (;;) {
      const due = await model
        .find(leases.due(cursor.start()), { lease: 1, [dueMember]: 1 })
        .sort({ [dueMember]: 1 })
        .limit(limit)
        .lean<DueRow[]>();
      const oldest = due[0]?.[dueMember];
      if (oldest) cursor.advance(oldest, due.length);
      const batch = chooseBatch(due);
      const [first] = batch;
      if (!first) return [];
      if (first.lease.token !== null) await endTransactionOf(first.lease.token);
      const where = { 'lease.token': first.lease.token };
      const rows = await leases.claim(
        batch.map(({ _id }) => _id),
        worker,
        { where, token: `${transactions}.${randomUUID()}` },
      );
      // If another process was faster with all of these rows, there may be further rows.
      if (rows.length === 0) continue;
      if (first.lease.token !== null) onExpired(rows.length);
      return rows.map((row) => fromDocument(row) as InboxRow);
    }
  }

  /**
   * The holder of the row died or hangs. Its unfinished transaction would block every process that writes the same
   * documents.
   */
  async function endTransactionOf(token: string): Promise<void> {
    const [id] = token.split('.');
    // If the server does not allow it, it ends the transaction itself after a minute.
    await endTransaction(connection, id!).catch(() => undefined);
  }

  async function endTransactionsOf(name: string): Promise<void> {
    const tokens = await Promise.all([callbacks, pings].map(async ({ leases }) => leases.tokensOf(name)));
    await Promise.all([...new Set(tokens.flat())].map(async (token) => endTransactionOf(token)));
  }

  async function claimBoth(limit: number, transactions: string): Promise<InboxRow[]> {
    const rows = await claimFrom(callbacks, limit, transactions);
    if (rows.length >= limit || rows.some(({ lease }) => lease.expiries > 0)) return rows;
    if (rows.length > 0 && performance.now() - pingsAt < PINGS_EVERY_MS) return rows;
    pingsAt = performance.now();
    const more = Math.min(limit - rows.length, PINGS_AT_ONCE);
    try {
      return [...rows, ...(await claimFrom(pings, more, transactions))];
    } catch (error) {
      releaseWhenBack(rows);
      throw error;
    }
  }

  function releaseWhenBack(rows: readonly InboxRow[], endWork?: () => Promise<void>): void {
    for (const row of rows)
      (row.pings === undefined ? callbacks : pings).leases.releaseWhenBack(row.lease.token!, worker, endWork);
  }

  return {
    async claim(limit, transactions) {
      const claimed = claiming.then(async () => claimBoth(limit, transactions));
      claiming = claimed.catch(() => undefined);
      return claimed;
    },
    releaseWhenBack,
    async readHeld({ _id, lease: { token } }) {
      const found = await model.findOne({ _id, 'lease.token': token }).lean();
      return found ? (fromDocument(found) as InboxRow) : undefined;
    },
    lookForPings() {
      pingsAt = -Infinity;
    },
    async nextDueAt() {
      const times = (await Promise.all([callbacks, pings].map(async ({ leases }) => leases.nextDueAt()))).filter(
        (time) => time !== undefined,
      );
      return times.length ? new Date(Math.min(...times.map((time) => time.getTime()))) : undefined;
    },
    async releaseWorker(name) {
      await endTransactionsOf(name);
      return (await callbacks.leases.releaseWorker(name)) + (await pings.leases.releaseWorker(name));
    },
  };
}

/**
 * A poisonous row must not take its neighbours with it, and the end of a worker must not slow the rest. Of a batch
 * whose lease expired once, half is claimed. A row whose lease expired more often is claimed alone.
 */
function chooseBatch(due: readonly DueRow[]): readonly DueRow[] {
  const expired = due.filter(({ lease }) => lease.token !== null);
  const again = expired.find(({ lease }) => lease.expiries > 0);
  if (again) return [again];
  const [first] = expired;
  if (!first) return due;
  const batch = expired.filter(({ lease }) => lease.token === first.lease.token);
  return batch.slice(0, Math.max(1, Math.floor(batch.length / 2)));
}

export function isPoisonous({ lease }: InboxRow): boolean {
  return lease.expiries >= MAX_EXPIRIES;
}
