/**
 * Moves the entries of outboxes to the notifications: immediately by the process that settled, and by a sweep for what
 * a crash left behind.
 */
import type { Connection, mongo } from 'mongoose';
import { bulkWrite, toError } from '../../../database/bulk-write.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { createBatcher } from '../../../database/batcher.ts';
import { driverCodecOf } from '../../../database/driver-codec.ts';
import {
  paymentRequestModel,
  type OutboxEntry,
  type PaymentRecord,
} from '../../../database/collections/payment-request.ts';

/** A notification to be created. Its id makes a second relay harmless. */
export interface RelayedNotification {
  readonly id: string;
  readonly ownerId: number;
  readonly environment: 'test' | 'live';
  readonly paymentRequestId: number;
  readonly sequence: number;
  readonly type: string;
  readonly url: string;
  readonly body: string;
  readonly createdAt: Date;
  readonly requestId: string;
  /** The trace of the span that made it due; absent: traces are off. */
  readonly trace?: string;
}

export interface RelayDeps {
  readonly connection: Connection;
  readonly insert: (notifications: readonly RelayedNotification[]) => Promise<void>;
  /** The address to which its notifications go; null: there is no receiver. */
  readonly urlOf: (record: PaymentRecord) => Promise<string | null>;
  readonly now: () => Date;
}

export interface Relay {
  relay(record: PaymentRecord): Promise<void>;
  /** Relays outboxes that have waited at least that long. Returns the number of payments. */
  sweep(afterMs: number, limit: number): Promise<number>;
}

export function createRelay({ connection, insert, urlOf, now }: RelayDeps): Relay {
  const model = paymentRequestModel(connection);
  const { collection } = driverCodecOf(model);

  /** Not written with majority: if this write is lost, the sweep relays entries that are known already. */
  const clearings = createBatcher<Clearing, void>({
    async run(items) {
      const results = await bulkWrite(collection, items.map(toClearing), { w: 1 });
      return results.map(({ error }) => (error ? { error: toError(error) } : { value: undefined }));
    },
  });

  async function relay(record: PaymentRecord): Promise<void> {
    const { _id, outbox } = record;
    if (!outbox.length) return;
    const url = await urlOf(record);
    if (url !== null) {
      await insert(outbox.map((entry) => toNotification(record, entry, url)));
    }
    await clearings({ id: _id, sequences: outbox.map(({ sequence }) => sequence) });
  }

  return {
    relay,
    async sweep(afterMs, limit) {
      const before = new Date(now().getTime() - afterMs);
      const waiting = await model
        .find({ outboxSince: { $type: 'date', $lte: before } })
        .sort({ outboxSince: 1 })
        .limit(limit)
        .lean();
      const failed: unknown[] = [];
      for (const one of waiting) {
        await relay(fromDocument(one) as PaymentRecord).catch((error: unknown) => failed.push(error));
      }
      // Thrown after the other outboxes had their turn: one that cannot be relayed does not block them.
      if (failed.length)
        throw new AggregateError(failed, `${failed.length} of ${waiting.length} outboxes could not be relayed`);
      return waiting.length;
    },
  };
}

interface Clearing {
  readonly id: number;
  readonly sequences: readonly number[];
}

function toClearing({ id, sequences }: Clearing): mongo.AnyBulkWriteOperation<{ _id: number }> {
  const left = { $filter: { input: '$outbox', cond: { $not: [{ $in: ['$$this.sequence', sequences] }] } } };
  const update = [
    { $set: { outbox: left } },
    { $set: { outboxSince: { $cond: [{ $eq: [{ $size: '$outbox' }, 0] }, null, '$outboxSince'] } } },
  ];
  return { updateOne: { filter: { _id: id }, update } };
}

export function toNotification(
  { _id, ownerId, environment }: Pick<PaymentRecord, '_id' | 'ownerId' | 'environment'>,
  { sequence, type, at, body, requestId, trace }: OutboxEntry,
  url: string,
): RelayedNotification {
  return {
    id: `${_id}-${sequence}`,
    ownerId,
    environment,
    paymentRequestId: _id,
    sequence,
    type,
    url,
    body,
    createdAt: at,
    requestId,
    ...(trace !== undefined && { trace }),
  };
}
