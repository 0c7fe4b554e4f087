/**
 * Catching up with an adapter: asking its provider again about payments, because callbacks may be missing. One document
 * per adapter. It holds the progress, so that a killed process loses nothing.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import { date, plain } from '../members.ts';
import { modelFor } from '../model.ts';

/** A payment that was asked about, and what it was before. */
export interface AskedPayment {
  readonly id: number;
  readonly was: string;
}

/** A payment that changed because its provider was asked. */
export interface ChangedPayment extends AskedPayment {
  readonly is: string;
}

export interface CatchUp {
  /** The name of the adapter. */
  readonly _id: string;
  /** Callbacks of the adapter are missing since then. Absent: none is known to be missing. */
  readonly silentSince?: Date | null;
  /** When the silence was found. */
  readonly silenceFoundAt?: Date | null;
  /** The time from which payments are asked about. Absent: nothing was ever asked. */
  readonly since?: Date | null;
  /** Changes with every request, so that a run that was requested before stops. */
  readonly requestedAt?: Date | null;
  /** Null while the run is in progress. */
  readonly endedAt?: Date | null;
  /** Increased with every step. Each step compares and sets it. */
  readonly step?: number;
  /** All payments from this id on were handled, newest first. Null: none yet. */
  readonly before?: number | null;
  /** The payments of the current batch that have no answer yet. */
  readonly waiting?: readonly AskedPayment[];
  /** When the current batch was requested. */
  readonly batchAt?: Date | null;
  readonly asked?: number;
  readonly changedCount?: number;
  /** The first changed payments. */
  readonly changed?: readonly ChangedPayment[];
  /** Payments whose provider did not answer in time. They are asked again by their own schedule. */
  readonly unanswered?: number;
  /** Payments that cannot be asked about. */
  readonly notAsked?: number;
  /** Why payments were not asked about; empty: they were. */
  readonly obstacle?: string;
}

const asked = { id: Number, was: String } as const;
const schema = new Schema<CatchUp>(
  {
    _id: { type: String, required: true },
    silentSince: date,
    silenceFoundAt: date,
    since: date,
    requestedAt: date,
    endedAt: date,
    step: Number,
    before: { type: Number, default: null },
    waiting: [new Schema<AskedPayment>(asked, plain)],
    batchAt: date,
    asked: Number,
    changedCount: Number,
    changed: [new Schema<ChangedPayment>({ ...asked, is: String }, plain)],
    unanswered: Number,
    notAsked: Number,
    obstacle: String,
  },
  { collection: 'catchUps', strict: 'throw', versionKey: false, autoIndex: false },
);

export function catchUpModel(connection: Connection): Model<CatchUp> {
  return modelFor(connection, 'CatchUp', schema);
}
