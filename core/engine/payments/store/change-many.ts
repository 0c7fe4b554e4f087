/**
 * Changes many payments at once: reads them together, and stores them and their notifications in the caller's
 * transaction.
 */
import type { Connection, mongo } from 'mongoose';
import { fromDocument } from '../../../database/decimals.ts';
import { driverCodecOf } from '../../../database/driver-codec.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { ConflictError } from '../../../database/transaction.ts';
import type { Client } from '../../../database/collections/client.ts';
import type { Clients, PaymentOfClient } from '../clients/clients.ts';
import { becomesPaid } from '../clients/first-paid.ts';
import { changedMembers, toNextRecord, type Change, type NextRecord, type NextRecordDeps } from './next-record.ts';
import type { Views } from '../present/view.ts';
import type { NotificationEntries } from './notification-entries.ts';
import { toNotification, type RelayedNotification } from './outbox.ts';

export interface PaymentStep {
  /** The request that causes the change. Its notifications carry this id. */
  readonly requestId: string;
  /** Pure. Returns undefined to leave the payment unchanged. */
  readonly change: (record: PaymentRecord) => Change | undefined;
}

export interface ManyChanges {
  /** Payments that are not stored. Their steps did not run. */
  readonly unknown: ReadonlySet<number>;
  /** Payments whose change could not be computed, with the error. The other payments are not affected. */
  readonly failed: ReadonlyMap<number, unknown>;
  /** There is nothing to write. */
  readonly isEmpty: boolean;
  /** Rejects if another process has changed one of the payments since: roll the transaction back then. */
  write(session: mongo.ClientSession, at: Date): Promise<void>;
  /** Call this after the changes are stored. */
  stored(): void;
  /** Call this if the transaction failed, with its error. The changes may be stored nevertheless. */
  abandoned(error: unknown): void;
}

/** A part of a transaction that needs to know how the transaction ended. */
export type TransactionPart = Pick<ManyChanges, 'stored' | 'abandoned'>;

/**
 * By the id of the payment. Writes nothing yet. `isRepeated`: another process was faster with one of the payments
 * before.
 */
export type ChangeMany = (
  steps: ReadonlyMap<number, PaymentStep>,
  options?: { readonly isRepeated?: boolean },
) => Promise<ManyChanges>;

/** A payment as it is stored, and as its change wants it to be. */
export interface WantedChange {
  readonly before: PaymentRecord;
  readonly next: PaymentRecord;
}

/** What the changes of some payments need in addition, read for all of them together. */
export type ChangeContext = Pick<NextRecordDeps, 'renderBody' | 'firstTimeType'>;

export interface ChangeManyDeps extends Pick<NextRecordDeps, 'nextCheckAt' | 'now' | 'wantedTypes'> {
  readonly connection: Connection;
  /** `clients`: those that are known already, as they are stored. */
  readonly contextOf: (
    changes: readonly WantedChange[],
    clients: ReadonlyMap<number, Client>,
  ) => Promise<ChangeContext>;
  readonly readWithClient: (id: number) => Promise<PaymentOfClient | undefined>;
  /** The address to which its notifications go; null: there is no receiver. */
  readonly urlOf: (record: PaymentRecord) => Promise<string | null>;
  readonly insertNotifications: (
    notifications: readonly RelayedNotification[],
    at: Date,
    session: mongo.ClientSession,
  ) => Promise<TransactionPart>;
  /** Called for every stored change. */
  readonly onStored: (record: PaymentRecord, before: PaymentRecord) => void;
}

interface Changed extends NextRecord {
  readonly before: PaymentRecord;
  readonly url: string | null;
}

export function createChangeMany(deps: ChangeManyDeps): ChangeMany {
  const { collection, toMembers } = driverCodecOf(paymentRequestModel(deps.connection));

  /**
   * A single payment is read together with its client, which saves a query. That read is of a majority-committed moment
   * and may miss what a faster process has written, so a repetition reads the payment from the primary. For many
   * payments, clients are read once it is known which payments change.
   */
  async function read(
    ids: readonly number[],
    isRepeated: boolean,
  ): Promise<{ readonly records: readonly PaymentRecord[]; readonly clients: ReadonlyMap<number, Client> }> {
    if (ids.length === 1 && !isRepeated) {
      const found = await deps.readWithClient(ids[0]!);
      const { client } = found ?? {};
      return { records: found ? [found.record] : [], clients: new Map(client && [[client._id, client]]) };
    }
    const found = await collection.find({ _id: { $in: [...ids] } }).toArray();
    return { records: found.map((one) => fromDocument(one) as PaymentRecord), clients: new Map() };
  }

  return async (steps, { isRepeated = false } = {}) => {
    const { records, clients } = await read([...steps.keys()], isRepeated);
    const failed = new Map<number, unknown>();
    const wanted: [PaymentRecord, Change, string][] = [];
    for (const record of records) {
      const { change, requestId } = steps.get(record._id)!;
      try {
        const wants = change(record);
        if (wants) wanted.push([record, wants, requestId]);
      } catch (error) {
        failed.set(record._id, error);
      }
    }
    const context = await deps.contextOf(
      wanted.map(([before, { next }]) => ({ before, next })),
      clients,
    );
    const all: Changed[] = [];
    // One after another, because each change counts for the totals of the next one.
    for (const [before, change, requestId] of wanted) {
      try {
        const url = change.notify?.length ? await deps.urlOf(change.next) : null;
        const next = await toNextRecord(before, change, requestId, {
          ...deps,
          ...context,
          wantedTypes: async (record, types) => (url === null ? [] : deps.wantedTypes(record, types)),
        });
        all.push({ ...next, before, url });
      } catch (error) {
        failed.set(before._id, error);
      }
    }
    const known = new Set(records.map(({ _id }) => _id));
    const notifications = all.flatMap(({ next, entries, url }) =>
      entries.map((entry) => toNotification(next, entry, url!)),
    );

    let notified: TransactionPart | undefined;

    return {
      unknown: new Set([...steps.keys()].filter((id) => !known.has(id))),
      failed,
      isEmpty: all.length === 0,

      async write(session, at) {
        const { matchedCount } = await collection.bulkWrite(
          all.map(({ before, next }) => {
            const update = { $set: toMembers(changedMembers(before, next)) };
            return { updateOne: { filter: { _id: before._id, version: before.version }, update } };
          }),
          { session, ordered: false },
        );
        // The result does not say which payment was changed: all are read again.
        if (matchedCount !== all.length) throw new ConflictError();
        if (notifications.length) notified = await deps.insertNotifications(notifications, at, session);
      },

      stored() {
        for (const { next, before } of all) deps.onStored(next, before);
        notified?.stored();
      },
      abandoned(error) {
        notified?.abandoned(error);
      },
    };
  };
}

export interface ContextOfDeps {
  readonly clients: Pick<Clients, 'get' | 'firstTimeTypes'>;
  readonly views: Pick<Views, 'presenterOf'>;
  readonly renderBodyBy: NotificationEntries['renderBodyBy'];
}

/** The clients of all changes are read once; each change counts for the totals that the next one shows. */
export function createContextOf({ clients, views, renderBodyBy }: ContextOfDeps): ChangeManyDeps['contextOf'] {
  return async (changes, known) => {
    const unknown = new Set(changes.map(({ next }) => next.clientId).filter((id) => !known.has(id)));
    const paid = changes.flatMap(({ before, next }) => (becomesPaid(before, next) ? [next] : []));
    const [read, types] = await Promise.all([
      unknown.size ? clients.get([...unknown]) : [],
      paid.length ? clients.firstTimeTypes(paid) : [],
    ]);
    const typeOf = new Map(paid.map(({ _id }, index) => [_id, types[index]!]));
    return {
      renderBody: renderBodyBy(views.presenterOf(new Map([...known, ...read]))),
      firstTimeType: async ({ _id }) => typeOf.get(_id)!,
    };
  };
}
