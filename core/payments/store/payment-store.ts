/** Loads payment requests and changes them by compare-and-set: facts, log and outbox entry are one write. */
import type { Connection } from 'mongoose';
import { fromDocument } from '../../documents/decimals.ts';
import { isDuplicateKey } from '../../documents/duplicate-key.ts';
import { noLease } from '../../documents/lease.ts';
import {
  paymentRequestModel,
  type NotificationType,
  type OutboxEntry,
  type PaymentRecord,
} from '../../documents/payment-request.ts';

/** What one step of a change comes to; `undefined` from the step leaves the payment as it is. */
export interface Change {
  readonly next: PaymentRecord;
  readonly notify?: readonly NotificationType[];
  /** Set by the holder of the lease: it ends with this change. */
  readonly endsLease?: boolean;
}

export interface Changed {
  readonly record: PaymentRecord;
  /** False: the step left the payment as it was. */
  readonly changed: boolean;
}

export interface StoreDeps {
  readonly connection: Connection;
  /** The body of a notification about the payment as it then is. */
  readonly renderBody: (record: PaymentRecord, type: NotificationType, sequence: number, at: Date) => Promise<string>;
  /** False: nobody is to be notified, so nothing is put into the outbox. */
  readonly isNotified: (record: PaymentRecord) => Promise<boolean>;
  /** 1 for the client's first paid request, 2 for a later one. */
  readonly firstTimeType: (record: PaymentRecord) => Promise<1 | 2>;
  /** When it is to be checked next. */
  readonly nextCheckAt: (record: PaymentRecord, now: Date) => Date | null;
  /** Called after every stored change; `before` is what it changed, undefined for a new payment request. */
  readonly onStored: (record: PaymentRecord, before: PaymentRecord | undefined) => void;
  readonly now: () => Date;
}

export interface PaymentStore {
  load(id: number): Promise<PaymentRecord | undefined>;
  /** Gives what is stored: where the same request made one before (`createdBy`), that one. */
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

  async function notify(
    next: PaymentRecord,
    types: readonly NotificationType[],
    requestId: string,
  ): Promise<OutboxEntry[]> {
    if (!types.length || !(await deps.isNotified(next))) return [];
    const at = deps.now();
    return Promise.all(
      types.map(async (type, index) => {
        const sequence = next.sequence + index + 1;
        return { sequence, type, at, requestId, body: await deps.renderBody(next, type, sequence, at) };
      }),
    );
  }

  async function compareAndSet(
    record: PaymentRecord,
    change: Change,
    requestId: string,
  ): Promise<PaymentRecord | undefined> {
    const becamePaid = record.paidAmount === null && change.next.paidAmount !== null;
    const isHeld = change.next.lease.token !== null && !change.endsLease;
    const settled: PaymentRecord = {
      ...change.next,
      ftdTypeId: becamePaid ? await deps.firstTimeType(change.next) : record.ftdTypeId,
      version: record.version + 1,
      ...(change.endsLease ? { lease: noLease } : {}),
    };
    const entries = await notify(settled, change.notify ?? [], requestId);
    const next: PaymentRecord = {
      ...settled,
      sequence: settled.sequence + entries.length,
      outbox: [...settled.outbox, ...entries],
      outboxSince: entries.length ? (settled.outboxSince ?? deps.now()) : settled.outboxSince,
      // The end of the lease of who checks it, or begins to with this change; with the result it is set anew.
      nextCheckAt: isHeld ? change.next.nextCheckAt : deps.nextCheckAt(settled, deps.now()),
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

  async function findCreatedBy(operationId: string): Promise<PaymentRecord | undefined> {
    const found = await model.findOne({ createdBy: { $type: 'string', $eq: operationId } }).lean();
    return found ? (fromDocument(found) as PaymentRecord) : undefined;
  }

  return {
    load,
    async insert(record) {
      try {
        await model.create([record]);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (record.createdBy !== null && (await findCreatedBy(record.createdBy))) || 'id_taken';
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

/** Members that differ, but for the outbox: entries are added to it, and others take them out. */
function changedMembers(before: PaymentRecord, after: PaymentRecord): Partial<PaymentRecord> {
  const members = Object.keys(after) as (keyof PaymentRecord)[];
  return Object.fromEntries(
    members
      .filter((member) => member !== 'outbox' && after[member] !== before[member])
      .map((member) => [member, after[member]]),
  );
}
