/** One comparison of a provider's settlement file with our payments: its sums, and its first differences. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { amount, date, plain, text } from '../members.ts';
import { modelFor } from '../model.ts';

export const differenceKinds = ['missing_here', 'missing_there', 'amount', 'fee', 'currency'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** Amounts are decimal text in major units; a member that nobody knows is null. */
export interface SettlementDifference {
  readonly kind: DifferenceKind;
  /** What it is about: `payment`, `refund`, `chargeback`, or one of these taken back. */
  readonly row: string;
  /** Of the file; null: the file lacks it. */
  readonly line: number | null;
  readonly paymentId: number | null;
  /** As the file has it where nothing is known here, else ours. */
  readonly reference: string | null;
  readonly providerReference: string | null;
  readonly hereAmount: string | null;
  readonly hereCurrency: string | null;
  readonly thereAmount: string | null;
  readonly thereCurrency: string | null;
  readonly note: string | null;
}

export interface SettlementRun {
  readonly _id: string;
  readonly adapter: string;
  readonly environment: Environment;
  /** Its name, without folders. */
  readonly file: string;
  /** Who compared. */
  readonly by: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** What the file holds, up to `to` and without it; null: nobody said, and what it lacks was not looked for. */
  readonly from: Date | null;
  readonly to: Date | null;
  /** Of the file, those of no money of payers included. */
  readonly rows: number;
  readonly ignoredRows: number;
  /** Movements of money that both have, and alike. */
  readonly agreeing: number;
  /** False: config has no fee of this adapter. */
  readonly comparesFees: boolean;
  /** By kind; one that is not there was not found. */
  readonly counts: Readonly<Partial<Record<DifferenceKind, number>>>;
  readonly differenceCount: number;
  /** The first of them. */
  readonly differences: readonly SettlementDifference[];
  /** Runs of one span are about the same money. */
  readonly span: string;
  /** The last one of its span. */
  readonly isLatest: boolean;
  readonly expireAt: Date;
}

const differenceSchema = new Schema<SettlementDifference>(
  {
    kind: { type: String, enum: differenceKinds, required: true },
    row: { type: String, required: true },
    line: { type: Number, default: null },
    paymentId: { type: Number, default: null },
    reference: text,
    providerReference: text,
    hereAmount: amount,
    hereCurrency: text,
    thereAmount: amount,
    thereCurrency: text,
    note: text,
  },
  plain,
);

const schema = new Schema<SettlementRun>(
  {
    _id: { type: String, required: true },
    adapter: { type: String, required: true },
    environment: { type: String, enum: ['test', 'live'], required: true },
    file: { type: String, required: true },
    by: { type: String, required: true },
    startedAt: { type: Date, required: true },
    endedAt: { type: Date, required: true },
    from: date,
    to: date,
    rows: { type: Number, required: true },
    ignoredRows: { type: Number, required: true },
    agreeing: { type: Number, required: true },
    comparesFees: { type: Boolean, required: true },
    counts: new Schema(Object.fromEntries(differenceKinds.map((kind) => [kind, { type: Number }])), plain),
    differenceCount: { type: Number, required: true },
    differences: [differenceSchema],
    span: { type: String, required: true },
    isLatest: { type: Boolean, required: true },
    expireAt: { type: Date, required: true },
  },
  { collection: 'settlementRuns', strict: 'throw', versionKey: false, autoIndex: false, minimize: false },
);
schema.index({ startedAt: -1 });
schema.index({ adapter: 1, environment: 1, isLatest: 1 });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function settlementRunModel(connection: Connection): Model<SettlementRun> {
  return modelFor(connection, 'SettlementRun', schema);
}
