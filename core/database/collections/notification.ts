/** A notification to a merchant: its bytes, its state and all delivery attempts. */
import { Schema } from 'mongoose';
import type { Connection, Model } from 'mongoose';
import { leaseSchema, type Lease } from '../lease.ts';
import { modelFor } from '../model.ts';

/**
 * - `waiting`: an attempt is due or in progress
 * - `delivered`: answered with 2xx
 * - `exhausted`: every attempt of its round failed
 * - `gone`: the receiver answered 410
 */
export const notificationStates = ['waiting', 'delivered', 'exhausted', 'gone'] as const;
export type NotificationState = (typeof notificationStates)[number];

/** The record of one attempt. */
export interface AttemptRecord {
  readonly at: Date;
  /** How long the attempt took; null if its worker died before it reported. */
  readonly ms: number | null;
  /** The receiver's HTTP status; null if no answer arrived. */
  readonly status: number | null;
  /** Set if the attempt ended without a complete answer. */
  readonly code?: 'WH002';
  readonly error: string | null;
  /**
   * The beginning of the text that the receiver answered, at most 500 characters, with keys, secrets and card numbers
   * masked. Absent: no answer, an answer that is no text, or an attempt of an earlier version.
   */
  readonly answer?: string;
}

export interface NotificationDocument {
  /** `<payment request>-<sequence>`, or the id of an owner event. Sent as `webhook-id`. */
  readonly _id: string;
  readonly ownerId: number;
  readonly environment: 'test' | 'live';
  readonly paymentRequestId: number | null;
  readonly sequence: number | null;
  readonly type: string;
  readonly url: string;
  /** The owner and host of `url`, see `receiverOf`. Delivery limits and the circuit breaker count by it. */
  readonly receiver: string;
  /** The UTF-8 bytes of this text are signed and sent on every attempt. */
  readonly body: string;
  readonly requestId: string;
  /** Trace context of the span that created the notification; absent: traces are off. */
  readonly trace?: string;
  readonly createdAt: Date;
  readonly state: NotificationState;
  /** Incremented each time the notification is sent again on request. */
  readonly round: number;
  /** Attempts in this round. */
  readonly tries: number;
  /** True before the first attempt. Such rows are sent first. */
  readonly fresh: boolean;
  /** Only while waiting: when it may be claimed. While it is leased, the end of the lease. */
  readonly dueAt?: Date;
  /**
   * `lease.expiries` counts attempts of this round whose worker died before it reported the result. They are not
   * included in `tries`.
   */
  readonly lease: Lease;
  /** The latest attempts, oldest first, over all rounds. */
  readonly attempts: readonly AttemptRecord[];
}

/**
 * The name of a receiver: one owner's addresses at one host and port. It is one member, and not a pair, so that the
 * query for due rows can exclude receivers inside the index.
 */
export function receiverOf(ownerId: number, host: string): string {
  return `${ownerId} ${host}`;
}

/** Host and port of a receiver. Rows of earlier releases name only the host. */
export function hostOf(receiver: string): string {
  return receiver.slice(receiver.indexOf(' ') + 1);
}

/** The names under which rows of the owner to this host are stored, those of earlier releases included. */
export function receiverNamesOf(ownerId: number, host: string): readonly string[] {
  return [receiverOf(ownerId, host), host];
}

const attempt = new Schema<AttemptRecord>(
  {
    at: { type: Date, required: true },
    ms: { type: Number, default: null },
    status: { type: Number, default: null },
    code: { type: String, enum: ['WH002'] },
    error: { type: String, default: null },
    answer: { type: String },
  },
  { _id: false, strict: 'throw' },
);

const notificationSchema = new Schema<NotificationDocument>(
  {
    _id: { type: String, required: true },
    ownerId: { type: Number, required: true },
    environment: { type: String, enum: ['test', 'live'], required: true },
    paymentRequestId: { type: Number, default: null },
    sequence: { type: Number, default: null },
    type: { type: String, required: true },
    url: { type: String, required: true },
    receiver: { type: String, required: true },
    body: { type: String, required: true },
    requestId: { type: String, required: true },
    trace: { type: String },
    createdAt: { type: Date, required: true },
    state: { type: String, enum: notificationStates, required: true },
    round: { type: Number, required: true },
    tries: { type: Number, required: true },
    fresh: { type: Boolean, required: true },
    dueAt: { type: Date },
    lease: leaseSchema,
    attempts: { type: [attempt], required: true },
  },
  { collection: 'notifications', autoIndex: false, versionKey: false, strict: 'throw' },
);

// For due rows, by receiver and owner: rows of a busy receiver or owner are skipped inside the index.
notificationSchema.index(
  { fresh: 1, dueAt: 1, receiver: 1, ownerId: 1 },
  { name: 'due by receiver and owner', partialFilterExpression: { dueAt: { $type: 'date' } } },
);
notificationSchema.index({ ownerId: 1, environment: 1, createdAt: -1, _id: -1 }, { name: 'list' });
notificationSchema.index({ ownerId: 1, environment: 1, type: 1, createdAt: -1, _id: -1 }, { name: 'type' });
notificationSchema.index(
  { ownerId: 1, environment: 1, state: 1, createdAt: -1, _id: -1 },
  { name: 'troubled', partialFilterExpression: { state: { $in: ['waiting', 'exhausted', 'gone'] } } },
);
// For rows that are retried after a failed attempt: few, and none if all deliveries succeed.
notificationSchema.index(
  { ownerId: 1, environment: 1, createdAt: -1, _id: -1 },
  { name: 'failing', partialFilterExpression: { state: 'waiting', tries: { $gt: 0 } } },
);
notificationSchema.index({ paymentRequestId: 1, sequence: 1 }, { name: 'payment' });
// For ended rows, which are kept for a while and then deleted.
notificationSchema.index(
  { createdAt: 1 },
  { name: 'ended', partialFilterExpression: { state: { $in: ['delivered', 'gone'] } } },
);

export function notificationModel(connection: Connection): Model<NotificationDocument> {
  return modelFor(connection, 'Notification', notificationSchema);
}
