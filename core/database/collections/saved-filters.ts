/** Filters of lists that operators saved under a name. One document per operator. */
import { Schema, type Connection, type Model } from 'mongoose';
import { plain } from '../members.ts';
import { modelFor } from '../model.ts';

export interface SavedFilter {
  readonly name: string;
  /** The query of the list's address, such as `problem=underpaid&mode=live`. It never names a payer. */
  readonly query: string;
}

export interface SavedFiltersDocument {
  /** The operator's name: it stays the same when a key is replaced. */
  readonly _id: string;
  readonly filters: readonly SavedFilter[];
}

const schema = new Schema<SavedFiltersDocument>(
  {
    _id: { type: String, required: true },
    filters: [new Schema<SavedFilter>({ name: String, query: String }, plain)],
  },
  { collection: 'savedFilters', strict: 'throw', versionKey: false, autoIndex: false },
);

export function savedFiltersModel(connection: Connection): Model<SavedFiltersDocument> {
  return modelFor(connection, 'SavedFilters', schema);
}
