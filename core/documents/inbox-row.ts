/** The inbox: every genuine callback, stored before it is acknowledged. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { StatedEvent } from '../providers/mapped-event.ts';
import { modelFor } from './model.ts';

/** `aside`: put aside for a person. `malformed`: genuine, but the adapter could not read it; kept for the day it can. */
export type InboxState = 'waiting' | 'done' | 'aside' | 'malformed';

export interface InboxEvent {
  readonly event: StatedEvent;
  /** Payment request id by the event's reference; null where only the provider's reference is known. */
  readonly paymentRequestId: number | null;
  readonly state: 'waiting' | 'applied' | 'nothing' | 'refused' | 'aside';
  readonly note: string;
}

export interface InboxRow {
  /** Hash of adapter and identities; random where an event has no identity. */
  readonly _id: string;
  readonly adapter: string;
  readonly path: string;
  readonly requestId: string;
  readonly receivedAt: Date;
  /** The request as it arrived, sealed. */
  readonly sealed: Uint8Array;
  readonly events: readonly InboxEvent[];
  readonly state: InboxState;
  /** When it is next worked on; while a worker has it, when the lease ends. Only waiting rows have one. */
  readonly dueAt?: Date;
  readonly claim: string | null;
  readonly worker: string | null;
  /** Leases that lapsed: what a row that kills its worker looks like. */
  readonly lapses: number;
  readonly tries: number;
  /** How many of the tries failed for a reason of our own; absent in rows of earlier versions. */
  readonly faults?: number;
  readonly doneAt?: Date;
  readonly expireAt: Date;
}

const schema = new Schema<InboxRow>(
  {
    _id: String,
    adapter: String,
    path: String,
    requestId: String,
    receivedAt: Date,
    sealed: Buffer,
    events: [
      new Schema(
        { event: Schema.Types.Mixed, paymentRequestId: Number, state: String, note: String },
        { _id: false, minimize: false },
      ),
    ],
    state: String,
    dueAt: Date,
    claim: { type: String, default: null },
    worker: { type: String, default: null },
    lapses: { type: Number, default: 0 },
    tries: { type: Number, default: 0 },
    faults: { type: Number, default: 0 },
    doneAt: Date,
    expireAt: Date,
  },
  { collection: 'inbox', strict: 'throw', versionKey: false, autoIndex: false, minimize: false },
);
schema.index({ dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } });
schema.index({ worker: 1 }, { partialFilterExpression: { worker: { $type: 'string' } } });
schema.index({ 'events.paymentRequestId': 1, receivedAt: 1 });
schema.index({ state: 1, receivedAt: 1 }, { partialFilterExpression: { state: { $in: ['aside', 'malformed'] } } });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function inboxModel(connection: Connection): Model<InboxRow> {
  return modelFor(connection, 'InboxRow', schema);
}
