/** The state and answer of a request with an `Idempotency-Key`. */
import { Schema, type Connection, type Model } from 'mongoose';
import { leaseSchema, type Lease } from '../lease.ts';
import { modelFor } from '../model.ts';

export interface IdempotencyRecordDocument {
  /** Fingerprint of owner, environment and key. A fingerprint, because a merchant may put any data into the key. */
  _id: string;
  /** Fingerprint of the request. */
  fingerprint: string;
  /** The `X-Request-Id` of the request that runs or ran the operation. */
  requestId: string;
  state: 'running' | 'done';
  /** Held by the process that runs the operation. */
  lease: Lease;
  /** Until this time the process that runs the operation is considered alive. */
  leaseUntil: Date;
  paymentRequestId?: number;
  /** Ids of the payment requests of a batch, stored before any is created: an earlier run may have created some. */
  reservedIds?: number[];
  /** The answer, encrypted; present if `state` is `done`. */
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
