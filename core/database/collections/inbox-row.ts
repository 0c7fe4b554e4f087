/** The inbox: every genuine callback, stored before it is acknowledged. */
import type { EventStatus, ReportedEvent } from '@paywright/contract';
import { Schema, type Connection, type Model } from 'mongoose';
import { indexLeases, leaseSchema, type Lease } from '../lease.ts';
import { modelFor } from '../model.ts';

/**
 * `dead_letter`: not tried again until the provider sends it again; needs review. `malformed`: genuine, but the adapter
 * could not read it; kept for the day it can.
 */
export type InboxState = 'waiting' | 'done' | 'dead_letter' | 'malformed';

export interface InboxEvent {
  /** What the adapter read, with the status that it is mapped to. */
  readonly event: ReportedEvent & { readonly status: EventStatus };
  /** Payment request id by the event's reference; null where only the provider's reference is known. */
  readonly paymentRequestId: number | null;
  readonly state: 'waiting' | 'applied' | 'nothing' | 'refused';
  readonly note: string;
}

export interface InboxRow {
  /** Hash of adapter and identities; random where an event has no identity. */
  readonly _id: string;
  readonly adapter: string;
  readonly path: string;
  readonly requestId: string;
  /** Of the span that took it in; absent: traces are off. */
  readonly trace?: string;
  readonly receivedAt: Date;
  /** The request as it arrived, encrypted. */
  readonly encrypted: Uint8Array;
  readonly events: readonly InboxEvent[];
  readonly state: InboxState;
  /** When it is next worked on; while a worker has it, when the lease ends. Only waiting rows have one. */
  readonly dueAt?: Date;
  /** The same of a ping, so that pings are in nobody's way. */
  readonly pingDueAt?: Date;
  /** Of a ping, one row for each id: how often it came. What is no ping has none. */
  readonly pings?: number;
  readonly lease: Lease;
  readonly tries: number;
  /** How many of the tries failed for a reason of our own. */
  readonly faults: number;
  readonly doneAt?: Date;
  /** When its message was taken away with the payer that it was about: no adapter can read it any more. */
  readonly erasedAt?: Date;
  readonly expireAt: Date;
}

const schema = new Schema<InboxRow>(
  {
    _id: String,
    adapter: String,
    path: String,
    requestId: String,
    trace: String,
    receivedAt: Date,
    encrypted: Buffer,
    events: [
      new Schema(
        { event: Schema.Types.Mixed, paymentRequestId: { type: Number, default: null }, state: String, note: String },
        { _id: false, minimize: false },
      ),
    ],
    state: String,
    dueAt: Date,
    pingDueAt: Date,
    pings: Number,
    lease: leaseSchema,
    tries: { type: Number, default: 0 },
    faults: { type: Number, default: 0 },
    doneAt: Date,
    erasedAt: Date,
    expireAt: Date,
  },
  { collection: 'inbox', strict: 'throw', versionKey: false, autoIndex: false, minimize: false },
);
indexLeases(schema, 'dueAt');
schema.index({ pingDueAt: 1 }, { partialFilterExpression: { pingDueAt: { $type: 'date' } } });
schema.index({ 'events.paymentRequestId': 1, receivedAt: 1 });
schema.index(
  { state: 1, receivedAt: 1 },
  { partialFilterExpression: { state: { $in: ['dead_letter', 'malformed'] } } },
);
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function inboxModel(connection: Connection): Model<InboxRow> {
  return modelFor(connection, 'InboxRow', schema);
}
