/** How far a re-encryption under a key has come, so that one that was interrupted goes on there. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface Reencryption {
  /** The id of the key. */
  readonly _id: string;
  /** Everything of earlier collections is done. */
  readonly collectionName: string;
  /** The last document of the collection that is done. */
  readonly after: string | number;
  /** Values that were encrypted anew so far. */
  readonly changed: number;
}

const schema = new Schema<Reencryption>(
  { _id: String, collectionName: String, after: Schema.Types.Mixed, changed: Number },
  { collection: 'reencryptions', strict: 'throw', versionKey: false, autoIndex: false },
);

export function reencryptionModel(connection: Connection): Model<Reencryption> {
  return modelFor(connection, 'Reencryption', schema);
}
