/** The progress of a re-encryption with a key, so that an interrupted run continues there. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface Reencryption {
  /** The id of the key. */
  readonly _id: string;
  /** All earlier collections are done. */
  readonly collectionName: string;
  /** The last document of this collection that is done. */
  readonly after: string | number;
  /** Number of values that were re-encrypted so far. */
  readonly changed: number;
}

const schema = new Schema<Reencryption>(
  { _id: String, collectionName: String, after: Schema.Types.Mixed, changed: Number },
  { collection: 'reencryptions', strict: 'throw', versionKey: false, autoIndex: false },
);

export function reencryptionModel(connection: Connection): Model<Reencryption> {
  return modelFor(connection, 'Reencryption', schema);
}
