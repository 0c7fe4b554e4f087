/** One comparison of a provider's settlement file with our payments: its sums and its first differences. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { amount, date, plain, text } from '../members.ts';
import { modelFor } from '../model.ts';

export const differenceKinds = ['missing_here', 'missing_there', 'amount', 'fee', 'currency'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** Amounts are decimal text in major units. Unknown members are null. */
export interface SettlementDifference {
  readonly kind: DifferenceKind;
  /** The kind of movement: `payment`, `refund`, `chargeback`, or the reversal of one of these. */
  readonly row: string;
  /** The line of the file; null: the movement is missing in the file. */
  readonly line: number | null;
  readonly paymentId: number | null;
  /** Our reference, or the reference of the file if we have none. */
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
  /** The name of the account of the file. Absent: all accounts of the adapter. */
  readonly account?: string;
  readonly environment: Environment;
  /** The file name, without folders. */
  readonly file: string;
  /** The user who ran the comparison. */
  readonly by: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /**
   * The time span of the file, `to` excluded; null: no span was given, and movements that the file lacks were not
   * searched.
   */
  readonly from: Date | null;
  readonly to: Date | null;
  /** Rows of the file, including rows without payer money. */
  readonly rows: number;
  readonly ignoredRows: number;
  /** Movements that both sides have with the same values. */
  readonly agreeing: number;
  /** False: the config has no fee for this adapter. */
  readonly comparesFees: boolean;
  /** Counts by kind; absent: none were found. */
  readonly counts: Readonly<Partial<Record<DifferenceKind, number>>>;
  readonly differenceCount: number;
  /** The first differences. */
  readonly differences: readonly SettlementDifference[];
  /** The mapping of the columns as JSON. Absent: an earlier version stored the run. */
  readonly mapping?: string;
  /** Runs of the same span are about the same money. */
  readonly span: string;
  /** True for the latest run of its span. */
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
    account: String,
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
    mapping: String,
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
