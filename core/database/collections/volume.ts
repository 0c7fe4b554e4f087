/**
 * What was paid and what failed in ten minutes, by mode, adapter and currency. Counted once from the payments, so that
 * figures of days and weeks need not read payments again.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { modelFor } from '../model.ts';

export interface VolumeRow {
  readonly environment: Environment;
  readonly adapter: string;
  readonly currency: string;
  readonly succeeded: number;
  /** Attempts that failed, except those that their payer cancelled. */
  readonly failed: number;
  /** Those of `failed` that a bank declined. Absent: an earlier version counted the slot; it is unknown. */
  readonly declined?: number;
  /** The sum that was charged: decimal text. */
  readonly amount: string;
}

export interface VolumeSlot {
  /** The start of the slot as ISO text; for the document `countedTo`, that name. */
  readonly _id: string;
  readonly at?: Date;
  readonly rows?: readonly VolumeRow[];
  /** Everything before this time is counted. Only for `countedTo`. */
  readonly to?: Date;
  /** When the slots after `to` were counted. Only for `countedTo`; absent: not yet, or by an earlier version. */
  readonly openCountedAt?: Date;
  readonly expireAt?: Date;
}

/** The id of the one document that is no slot. */
export const countedToId = 'countedTo';

const rowSchema = new Schema<VolumeRow>(
  {
    environment: String,
    adapter: String,
    currency: String,
    succeeded: Number,
    failed: Number,
    // Stored only by this version and later ones.
    declined: Number,
    amount: Schema.Types.Decimal128,
  },
  { _id: false, strict: 'throw' },
);
const schema = new Schema<VolumeSlot>(
  {
    _id: { type: String, required: true },
    at: Date,
    rows: { type: [rowSchema], default: undefined },
    to: Date,
    openCountedAt: Date,
    expireAt: Date,
  },
  { collection: 'volumes', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ at: 1 });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function volumeModel(connection: Connection): Model<VolumeSlot> {
  return modelFor(connection, 'Volume', schema);
}
