/** What became of a request with an `Idempotency-Key`. */
import { Schema, type Connection, type Model } from 'mongoose';
import { leaseSchema, type Lease } from '../lease.ts';
import { modelFor } from '../model.ts';

export interface IdempotencyRecordDocument {
  /** Fingerprint of owner, environment and key: a merchant may put anything into the key. */
  _id: string;
  /** Fingerprint of the request. */
  fingerprint: string;
  /** The `X-Request-Id` of the request that runs it, or ran it. */
  requestId: string;
  state: 'running' | 'done';
  /** Held by the process that runs it. */
  lease: Lease;
  /** Until then the process that runs it is taken to be alive. */
  leaseUntil: Date;
  paymentRequestId?: number;
  /** Ids of the payment requests that a batch makes, kept before any is made: an earlier run may have made some. */
  reservedIds?: number[];
  /** The answer, encrypted; there when done. */
  response?: Buffer;
  createdAt: Date;
  expireAt: Date;
}

const idempotencyRecordSchema = new Schema<IdempotencyRecordDocument>(
  {
    _id: { type: String, required: true },
    fingerprint: { type: String, required: true },
    requestId: { type: String, required: true },
    state: { type: String, enum: ['running', 'done'], required: true },
    lease: leaseSchema,
    leaseUntil: { type: Date, required: true },
    paymentRequestId: Number,
    reservedIds: { type: [Number], default: undefined },
    response: Buffer,
    createdAt: { type: Date, required: true },
    expireAt: { type: Date, required: true },
  },
  { collection: 'idempotencyRecords', strict: 'throw', versionKey: false, autoIndex: false },
);
idempotencyRecordSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function idempotencyRecordModel(connection: Connection): Model<IdempotencyRecordDocument> {
  return modelFor(connection, 'IdempotencyRecord', idempotencyRecordSchema);
}
