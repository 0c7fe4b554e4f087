/** The schema version of all stored data. A gateway only reads and writes databases of its own schema version. */
import { Schema, type Connection, type Model } from 'mongoose';
import { isDuplicateKey } from '../duplicate-key.ts';
import { modelFor } from '../model.ts';
import { paymentRequestModel } from './payment-request.ts';

interface SchemaVersion {
  readonly _id: 'schema';
  readonly version: number;
}

/** The progress of the pass that gives payments of earlier versions their members for operators' searches. */
export interface SearchIndexing {
  readonly _id: 'payment search';
  /** The number of complete passes. */
  readonly version: number;
  /** All payments from this id on are done in the current pass. Absent: a pass is about to begin. */
  readonly before?: number;
  /** When the latest pass was complete. Absent: none was. */
  readonly endedAt?: Date;
}

/** Incremented with every change that makes existing documents unreadable. */
const currentVersion = 6;
const id = 'schema';

const schema = new Schema<SchemaVersion & Partial<Omit<SearchIndexing, keyof SchemaVersion>>>(
  { _id: String, version: Number, before: Number, endedAt: Date },
  { collection: 'meta', strict: 'throw', versionKey: false, autoIndex: false },
);

export function schemaVersionModel(connection: Connection): Model<SchemaVersion> {
  return modelFor(connection, 'SchemaVersion', schema as unknown as Schema<SchemaVersion>);
}

export function searchIndexingModel(connection: Connection): Model<SearchIndexing> {
  return modelFor(connection, 'SchemaVersion', schema as unknown as Schema<SearchIndexing>);
}

/**
 * Writes the version into a new database. Throws if the database has another version, or payment requests but no
 * version.
 */
export async function checkSchemaVersion(connection: Connection): Promise<void> {
  const model = schemaVersionModel(connection);
  const found = await model.findById(id).lean();
  if (found?.version === currentVersion) return;
  if (found) throw new Error(describeOther(`schema version ${found.version}`));
  if (await paymentRequestModel(connection).exists({})) throw new Error(describeOther('no schema version'));
  try {
    await model.updateOne({ _id: id }, { $setOnInsert: { version: currentVersion } }, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error; // Another process started at the same moment.
  }
}

function describeOther(what: string): string {
  return `the database was created by another version of the gateway (it has ${what}, this version needs ${currentVersion}): run that version on it, or name a new database in MONGODB_URI`;
}
