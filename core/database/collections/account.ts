/**
 * Accounts of adapters that operators created at run time. A removed account stays without its options: its name is
 * never given to another account.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';
import type { ReportedIds } from './adapter-state.ts';

export interface AccountDocument {
  /** The reference of the account: `<adapter>/<account>`. */
  readonly _id: string;
  readonly adapter: string;
  /** The name of the account. */
  readonly name: string;
  /** Increases with every write. */
  readonly version: number;
  /** The options as JSON, encrypted. Absent: the account was removed. */
  readonly options?: Uint8Array;
  /** The test options as JSON, encrypted. Absent: the account has none of its own. */
  readonly sandboxOptions?: Uint8Array;
  /** Absent: the fee of the adapter. */
  readonly fee?: { readonly percent: string; readonly fixed: Readonly<Record<string, string>> };
  /** Absent: the currencies that are open at the adapter. */
  readonly currencies?: readonly string[];
  /** The names of the merchants that may use the account. Absent: every merchant. */
  readonly merchants?: readonly string[];
  /** The ids by which the provider named the account at the latest checks. Absent: no check showed one. */
  readonly reportedIds?: ReportedIds;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly removedAt?: Date;
}

const schema = new Schema<AccountDocument>(
  {
    _id: { type: String, required: true },
    adapter: { type: String, required: true },
    name: { type: String, required: true },
    version: { type: Number, required: true },
    options: Buffer,
    sandboxOptions: Buffer,
    fee: Schema.Types.Mixed,
    currencies: { type: [String], default: undefined },
    merchants: { type: [String], default: undefined },
    reportedIds: Schema.Types.Mixed,
    createdBy: { type: String, required: true },
    createdAt: { type: Date, required: true },
    changedAt: { type: Date, required: true },
    removedAt: Date,
  },
  { collection: 'accounts', strict: 'throw', versionKey: false, autoIndex: false, minimize: false },
);

export function accountModel(connection: Connection): Model<AccountDocument> {
  return modelFor(connection, 'Account', schema);
}
