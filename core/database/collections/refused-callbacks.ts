/**
 * Refused callbacks: one document per adapter, in groups by reason and sender network. Bounded, because anyone may send
 * forged callbacks. Nothing of a message is kept except the numbers of the payments that it names.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface RefusedGroup {
  /** What the callbacks lacked, for example `proof (the signature does not match)`. */
  readonly reason: string;
  /** The network of the senders: /24 of IPv4, /64 of IPv6; `other networks` beyond the limit of a span. */
  readonly network: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The part after `/callbacks/` of the latest one. */
  readonly route: string;
  /** The payments that the latest ones name in plain text, at most 5. Nothing proves that they are about them. */
  readonly payments: readonly number[];
}

export interface RefusedCallbacks {
  /** The adapter. */
  readonly _id: string;
  /** Incremented by each write, which compares it. */
  readonly version: number;
  readonly groups: readonly RefusedGroup[];
}

const group = new Schema<RefusedGroup>(
  {
    reason: { type: String, required: true },
    network: { type: String, required: true },
    count: { type: Number, required: true },
    firstAt: { type: Date, required: true },
    lastAt: { type: Date, required: true },
    route: { type: String, required: true },
    payments: { type: [Number], required: true },
  },
  { _id: false, strict: 'throw' },
);
const schema = new Schema<RefusedCallbacks>(
  {
    _id: { type: String, required: true },
    version: { type: Number, required: true },
    groups: { type: [group], required: true },
  },
  { collection: 'refusedCallbacks', strict: 'throw', versionKey: false, autoIndex: false },
);

export function refusedCallbacksModel(connection: Connection): Model<RefusedCallbacks> {
  return modelFor(connection, 'RefusedCallbacks', schema);
}
