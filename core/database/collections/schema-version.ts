/** The version of everything that is stored: a gateway reads and writes databases of its own version only. */
import { Schema, type Connection, type Model } from 'mongoose';
import { isDuplicateKey } from '../duplicate-key.ts';
import { modelFor } from '../model.ts';
import { paymentRequestModel } from './payment-request.ts';

interface SchemaVersion {
  readonly _id: 'schema';
  readonly version: number;
}

/** Grows with every change that makes documents of before unreadable. */
const currentVersion = 6;
const id = 'schema';

const schema = new Schema<SchemaVersion>(
  { _id: String, version: Number },
  { collection: 'meta', strict: 'throw', versionKey: false, autoIndex: false },
);

export function schemaVersionModel(connection: Connection): Model<SchemaVersion> {
  return modelFor(connection, 'SchemaVersion', schema);
}

/** Writes the version into a new database. Throws where the database is of another version, or older than versions. */
export async function checkSchemaVersion(connection: Connection): Promise<void> {
  const model = schemaVersionModel(connection);
  const found = await model.findById(id).lean();
  if (found?.version === currentVersion) return;
  if (found) throw new Error(describeOther(`schema version ${found.version}`));
  if (await paymentRequestModel(connection).exists({})) throw new Error(describeOther('no schema version'));
  try {
    await model.updateOne({ _id: id }, { $setOnInsert: { version: currentVersion } }, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error; // Another process began at the same moment.
  }
}

function describeOther(what: string): string {
  return `the database was made by another version of the gateway (it has ${what}, this one needs ${currentVersion}): run that version on it, or name a new database in MONGODB_URI to begin anew`;
}
