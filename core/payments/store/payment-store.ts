/** Loads payment requests and changes them by compare-and-set: facts, log and outbox entry are one write. */
import type { Connection } from 'mongoose';
import { fromDocument } from '../../documents/decimals.ts';
import { isDuplicateKey } from '../../documents/duplicate-key.ts';
import { paymentRequestModel, type PaymentRecord } from '../../documents/payment-request.ts';
import { changedMembers, toNextRecord, type Change, type NextRecordDeps } from './next-record.ts';

export type { Change } from './next-record.ts';

export interface Changed {
  readonly record: PaymentRecord;
  /** False: the step left the payment as it was. */
  readonly changed: boolean;
}

export interface StoreDeps extends NextRecordDeps {
  readonly connection: Connection;
  /** Called after every stored change; `before` is what it changed, undefined for a new payment request. */
  readonly onStored: (record: PaymentRecord, before: PaymentRecord | undefined) => void;
}

export interface PaymentStore {
  load(id: number): Promise<PaymentRecord | undefined>;
  /** Gives what is stored: where the same request made this one before (`createdBy`), that. */
  insert(record: PaymentRecord): Promise<PaymentRecord | 'id_taken'>;
  /** Repeats the step on the newest version until nobody was quicker. The step is pure and may throw to refuse. */
  change(id: number, requestId: string, step: (record: PaymentRecord) => Change | undefined): Promise<Changed>;
}

/** More tries than this only happen when something rewrites the payment without end. */
const MAX_TRIES = 100;

export function createPaymentStore(deps: StoreDeps): PaymentStore {
  const model = paymentRequestModel(deps.connection);

  async function load(id: number): Promise<PaymentRecord | undefined> {
    const found = await model.findById(id).lean();
    return found ? (fromDocument(found) as PaymentRecord) : undefined;
  }

  async function compareAndSet(
    record: PaymentRecord,
    change: Change,
    requestId: string,
  ): Promise<PaymentRecord | undefined> {
    const { next: settled, entries } = await toNextRecord(record, change, requestId, deps);
    const next: PaymentRecord = {
      ...settled,
      outbox: [...settled.outbox, ...entries],
      outboxSince: entries.length ? (settled.outboxSince ?? deps.now()) : settled.outboxSince,
    };
    const result = await model.updateOne(
      { _id: record._id, version: record.version },
      {
        // A relay may have emptied the outbox meanwhile, and noted that nothing waits.
        $set: { ...changedMembers(record, next), ...(entries.length ? { outboxSince: next.outboxSince } : {}) },
        ...(entries.length ? { $push: { outbox: { $each: entries } } } : {}),
      },
    );
    return result.matchedCount === 1 ? next : undefined;
  }

  return {
    load,
    async insert(record) {
      try {
        await model.create([record]);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const other = record.createdBy !== null && (await load(record._id));
        return other && other.createdBy === record.createdBy ? other : 'id_taken';
      }
      deps.onStored(record, undefined);
      return record;
    },
    async change(id, requestId, step) {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const record = await load(id);
        if (!record) throw new Error(`payment request ${id} is not stored`);
        const change = step(record);
        if (!change) return { record, changed: false };
        const next = await compareAndSet(record, change, requestId);
        if (next) {
          deps.onStored(next, record);
          return { record: next, changed: true };
        }
      }
      throw new Error(`payment request ${id} kept changing`);
    },
  };
}
