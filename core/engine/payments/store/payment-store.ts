/** Loads payment requests and changes them by compare-and-set: facts, log and outbox entry are one write. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import { bulkWrite, compareAndSet, toMatch } from '../../../database/bulk-write.ts';
import { isDatabaseAway } from '../../../database/database-away.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { createInsertBatcher } from '../../../database/insert-batcher.ts';
import { createBatcher } from '../../../database/batcher.ts';
import { driverCodecOf } from '../../../database/driver-codec.ts';
import type { Metrics } from '../../../base/metrics/index.ts';
import {
  paymentRequestModel,
  type LogEntry,
  type PaymentRecord,
} from '../../../database/collections/payment-request.ts';
import { withSearchMembers } from './search-members.ts';
import { changedMembers, toNextRecord, type Change, type NextRecordDeps } from './next-record.ts';

export type { Change } from './next-record.ts';

export interface Changed {
  readonly record: PaymentRecord;
  /** False: the step left the payment unchanged. */
  readonly changed: boolean;
}

export interface StoreDeps extends NextRecordDeps {
  readonly connection: Connection;
  /** Called after every stored change. `before`: the payment before the change; undefined for a new payment request. */
  readonly onStored: (record: PaymentRecord, before: PaymentRecord | undefined) => void;
}

export interface PaymentStore {
  load(id: number): Promise<PaymentRecord | undefined>;
  /** Returns what is stored. If the same request made this payment request before (`createdBy`), returns that one. */
  insert(record: PaymentRecord): Promise<PaymentRecord | 'id_taken'>;
  /**
   * Repeats the step until no other process is faster: first on the record that the caller passes, then on the newest
   * version. The step is pure and may throw to refuse. `until`: until then, a database that does not answer is retried,
   * and a write that was stored without an answer is not stored again.
   */
  change(
    payment: number | PaymentRecord,
    requestId: string,
    step: (record: PaymentRecord) => Change | undefined,
    until?: Date,
  ): Promise<Changed>;
}

/** More tries than this happen only if something rewrites the payment endlessly. */
const MAX_TRIES = 100;
/** The pause between two tries at a database that does not answer. */
const PAUSE_MS = 250;

export function createPaymentStore(deps: StoreDeps, metrics?: Pick<Metrics, 'depthOf'>): PaymentStore {
  const model = paymentRequestModel(deps.connection);
  const { collection, toMembers } = driverCodecOf(model);

  const inserts = createInsertBatcher(model, { onWaiting: metrics?.depthOf('new payments') });

  /**
   * True if the version was still the same and no worker has claimed the payment since: a claim changes when it is due.
   */
  const changes = createBatcher<{ readonly before: PaymentRecord; readonly update: Update }, boolean>({
    onWaiting: metrics?.depthOf('payments'),
    async run(items) {
      const operations = items.map(({ before: { _id, version, lease }, update }) =>
        compareAndSet<StoredPayment>({ _id, version, 'lease.token': lease.token }, update),
      );
      const results = await bulkWrite(collection as unknown as mongo.Collection<StoredPayment>, operations);
      return results.map(toMatch);
    },
  });

  // Runs immediately if the server is free. Loads that are requested while one runs become one query.
  const load = createBatcher<number, PaymentRecord | undefined>({
    everyMs: 0,
    async run(ids) {
      const wanted = [...new Set(ids)];
      const found = await collection.find({ _id: wanted.length === 1 ? wanted[0]! : { $in: wanted } }).toArray();
      const records = new Map(found.map((one) => [one._id, fromDocument(one) as PaymentRecord]));
      return ids.map((id) => ({ value: records.get(id) }));
    },
  });

  /** Throws `LostWrite` if it is unknown whether the change was stored. */
  async function write(record: PaymentRecord, change: Change, requestId: string): Promise<PaymentRecord | undefined> {
    const { next: settled, entries } = await toNextRecord(record, change, requestId, deps);
    const next: PaymentRecord = {
      ...settled,
      outbox: [...settled.outbox, ...entries],
      outboxSince: entries.length ? (settled.outboxSince ?? deps.now()) : settled.outboxSince,
    };
    const changed = changedMembers(record, next);
    const update = {
      // A relay may have emptied the outbox since, and recorded that nothing waits.
      $set: toMembers(entries.length ? { ...changed, outboxSince: next.outboxSince } : changed),
      ...(entries.length ? { $push: { outbox: { $each: toMembers({ outbox: entries })['outbox'] as object[] } } } : {}),
    };
    try {
      return (await changes({ before: record, update })) ? next : undefined;
    } catch (error) {
      throw isDatabaseAway(error) ? new LostWrite({ before: record, next }, error) : error;
    }
  }

  async function changeOnce(
    payment: number | PaymentRecord,
    requestId: string,
    step: (record: PaymentRecord) => Change | undefined,
    lost: readonly Written[],
  ): Promise<Changed> {
    const id = idOf(payment);
    let inHand = typeof payment === 'number' ? undefined : payment;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const record = inHand ?? (await load(id));
      if (!record) throw new Error(`payment request ${id} is not stored`);
      const written = lost.find((one) => holds(record, one));
      if (written) {
        deps.onStored(record, written.before);
        return { record, changed: true };
      }
      const change = step(record);
      const next = change && (await write(record, change, requestId));
      if (next) {
        deps.onStored(next, record);
        return { record: next, changed: true };
      }
      // Only a write proves that the record that the caller passed is the newest.
      if (!change && !inHand) return { record, changed: false };
      inHand = undefined;
    }
    throw new Error(`payment request ${id} kept changing`);
  }

  return {
    load,
    async insert(given) {
      const record = withSearchMembers(given);
      if ((await inserts(record)) === 'duplicate') {
        const other = record.createdBy !== null && (await load(record._id));
        return other && other.createdBy === record.createdBy ? other : 'id_taken';
      }
      deps.onStored(record, undefined);
      return record;
    },
    async change(payment, requestId, step, until) {
      const lost: Written[] = [];
      for (;;) {
        try {
          return await changeOnce(lost.length ? idOf(payment) : payment, requestId, step, lost);
        } catch (error) {
          const isLost = error instanceof LostWrite;
          const cause = isLost ? error.cause : error;
          if (!until || !isDatabaseAway(cause) || deps.now() >= until) throw cause;
          if (isLost) lost.push(error.written);
        }
        await sleep(PAUSE_MS);
      }
    },
  };
}

/** A change that was sent to the database. */
interface Written {
  readonly before: PaymentRecord;
  readonly next: PaymentRecord;
}

class LostWrite extends Error {
  readonly written: Written;

  constructor(written: Written, cause: unknown) {
    super('no answer says whether the change is stored', { cause });
    this.written = written;
  }
}

/**
 * True if the change was stored after all: the log never loses an entry. A change without a log entry has the same
 * result however often it is stored.
 */
function holds(record: PaymentRecord, { before, next }: Written): boolean {
  const added = next.logs.slice(before.logs.length);
  const isThere = (entry: LogEntry): boolean =>
    record.logs.some(
      ({ n, at, message }) => n === entry.n && at.getTime() === entry.at.getTime() && message === entry.message,
    );
  return added.length > 0 && added.every(isThere);
}

const idOf = (payment: number | PaymentRecord): number => (typeof payment === 'number' ? payment : payment._id);

type StoredPayment = Pick<PaymentRecord, '_id' | 'version' | 'lease'>;

type Update = Parameters<typeof compareAndSet>[1];
