/** One HTTP exchange with a provider, without its contents. The timeline shows it. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface Exchange {
  readonly paymentRequestId: number;
  readonly attempt: number;
  readonly adapter: string;
  readonly call: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly at: Date;
  readonly ms: number;
  /** Null if no answer arrived; `failure` then says what is known. */
  readonly status: number | null;
  readonly failure: string | null;
}

const schema = new Schema<Exchange>(
  {
    paymentRequestId: Number,
    attempt: Number,
    adapter: String,
    call: String,
    method: String,
    path: String,
    at: Date,
    ms: Number,
    status: { type: Number, default: null },
    failure: { type: String, default: null },
  },
  { collection: 'exchanges', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ paymentRequestId: 1, at: 1 });

export function exchangeModel(connection: Connection): Model<Exchange> {
  return modelFor(connection, 'Exchange', schema);
}
