/** The inbox: every genuine callback, stored before it is acknowledged. */
import type { EventStatus, ReportedEvent } from '@paywright/contract';
import { Schema, type Connection, type Model } from 'mongoose';
import { indexLeases, leaseSchema, type Lease } from '../lease.ts';
import { modelFor } from '../model.ts';

/**
 * - `dead_letter`: not retried until the provider sends it again; needs review
 * - `malformed`: genuine, but the adapter could not read it; kept until an adapter can read it
 */
export type InboxState = 'waiting' | 'done' | 'dead_letter' | 'malformed';

export interface InboxEvent {
  /** The event that the adapter read, with the status that it is mapped to. */
  readonly event: ReportedEvent & { readonly status: EventStatus };
  /** The payment request id from the event's reference; null if only the provider's reference is known. */
  readonly paymentRequestId: number | null;
  readonly state: 'waiting' | 'applied' | 'nothing' | 'refused';
  readonly note: string;
  /**
   * The status of the payment before and after the event; equal if it changed something else. Only of applied events.
   * Absent for events that an earlier version applied.
   */
  readonly change?: { readonly from: number; readonly to: number };
}

export interface InboxRow {
  /** Hash of adapter and event identities; random if an event has no identity. */
  readonly _id: string;
  readonly adapter: string;
  /** The account that proved the callback; absent: `main`. A ping is proven by none. */
  readonly account?: string;
  /** Further accounts whose secret fits the callback as well; absent: none. The payment decides between them. */
  readonly sharedWith?: readonly string[];
  readonly path: string;
  readonly requestId: string;
  /** Trace context of the span that received the callback; absent: traces are off. */
  readonly trace?: string;
  readonly receivedAt: Date;
  /** The request as it arrived, encrypted. */
  readonly encrypted: Uint8Array;
  readonly events: readonly InboxEvent[];
  readonly state: InboxState;
  /** When the row is next processed. While a worker processes it, the end of the lease. Only waiting rows have it. */
  readonly dueAt?: Date;
  /** The same for a ping, in a separate member so that pings do not delay other callbacks. */
  readonly pingDueAt?: Date;
  /** For a ping, which has one row per id: how often it arrived. Absent for other callbacks. */
  readonly pings?: number;
  readonly lease: Lease;
  readonly tries: number;
  /** How many of the tries failed because of a fault on our side. */
  readonly faults: number;
  readonly doneAt?: Date;
  /** When an operator discarded it. Absent for a row that an earlier version discarded. */
  readonly discardedAt?: Date;
  /** When the message was erased with the payer's data: no adapter can read it any more. */
  readonly erasedAt?: Date;
  readonly expireAt: Date;
}

const schema = new Schema<InboxRow>(
  {
    _id: String,
    adapter: String,
    // Stored only for an account other than `main`: hosts of earlier versions do not know this member.
    account: String,
    sharedWith: { type: [String], default: undefined },
    path: String,
    requestId: String,
    trace: String,
    receivedAt: Date,
    encrypted: Buffer,
    events: [
      new Schema(
        {
          event: Schema.Types.Mixed,
          paymentRequestId: { type: Number, default: null },
          state: String,
          note: String,
          change: { type: new Schema({ from: Number, to: Number }, { _id: false }) },
        },
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
    discardedAt: Date,
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
schema.index({ adapter: 1, receivedAt: -1 }, { name: 'list' });
schema.index({ receivedAt: -1 }, { name: 'discarded', partialFilterExpression: { discardedAt: { $type: 'date' } } });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function inboxModel(connection: Connection): Model<InboxRow> {
  return modelFor(connection, 'InboxRow', schema);
}
