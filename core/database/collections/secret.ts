/** Secrets that the gateway creates for itself, once per database: encrypted, and the same for every process. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface SecretDocument {
  readonly _id: 'fingerprints';
  readonly value: Uint8Array;
}

const schema = new Schema<SecretDocument>(
  { _id: String, value: Buffer },
  { collection: 'secrets', strict: 'throw', versionKey: false, autoIndex: false },
);

export function secretModel(connection: Connection): Model<SecretDocument> {
  return modelFor(connection, 'Secret', schema);
}
