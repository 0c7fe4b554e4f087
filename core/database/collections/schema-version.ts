/**
 * The schema version of all stored data, and the progress of a migration to the next one. A gateway reads and writes
 * databases of its own schema version and of the one before. `core/engine/migrations` moves a database forward.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import { isDuplicateKey } from '../duplicate-key.ts';
import { modelFor } from '../model.ts';
import { paymentRequestModel } from './payment-request.ts';

interface SchemaVersion {
  readonly _id: 'schema';
  readonly version: number;
}

/**
 * - `moving`: documents are moved to the new shape. Both versions may run
 * - `moved`: all documents were moved. The previous version may still run, and may be started again
 * - `finishing`: no host of the previous version runs, none can start any more, and the old shape is removed
 * - `finished`: the database has the new schema version
 */
export type MigrationPhase = 'moving' | 'moved' | 'finishing' | 'finished';

export interface MigrationProgress {
  readonly _id: 'migration';
  /** The schema version that the database is moved to. */
  readonly to: number;
  readonly phase: MigrationPhase;
  /** The collection in progress. All collections before it in the migration's list are done. */
  readonly collectionName: string;
  /** The last document of this collection that is done; null: none. */
  readonly after: unknown;
  /** Number of documents that this pass has read, in all collections. */
  readonly read: number;
  /** Number of documents that were moved, in all passes. */
  readonly moved: number;
  readonly startedAt: Date;
  /** When the phase began. */
  readonly phaseAt: Date;
}

/** Incremented with every change that the previous version cannot read. */
export const currentVersion = 7;
/** This version also runs on a database of the version before, so that hosts are upgraded one after another. */
export const previousVersion = currentVersion - 1;
const id = 'schema';

const schema = new Schema<SchemaVersion & Omit<MigrationProgress, '_id'>>(
  {
    _id: String,
    version: Number,
    to: Number,
    phase: String,
    collectionName: String,
    after: Schema.Types.Mixed,
    read: Number,
    moved: Number,
    startedAt: Date,
    phaseAt: Date,
  },
  { collection: 'meta', strict: 'throw', versionKey: false, autoIndex: false },
);

export function schemaVersionModel(connection: Connection): Model<SchemaVersion> {
  return modelFor(connection, 'SchemaVersion', schema as unknown as Schema<SchemaVersion>);
}

export function migrationProgressModel(connection: Connection): Model<MigrationProgress> {
  return modelFor(connection, 'SchemaVersion', schema as unknown as Schema<MigrationProgress>);
}

/** The version of the database. Undefined: it is new. */
export async function readSchemaVersion(connection: Connection): Promise<number | undefined> {
  return (await schemaVersionModel(connection).findById(id).lean())?.version;
}

/**
 * Writes the version into a new database. Throws if this version cannot run on the database: it has a later version, a
 * version before the previous one, or payment requests but no version.
 */
export async function checkSchemaVersion(connection: Connection): Promise<void> {
  const found = await readSchemaVersion(connection);
  if (found === currentVersion || found === previousVersion) return;
  if (found !== undefined) throw new Error(describeOther(found));
  if (await paymentRequestModel(connection).exists({})) throw new Error(describeOther(undefined));
  try {
    await schemaVersionModel(connection).updateOne(
      { _id: id },
      { $setOnInsert: { version: currentVersion } },
      { upsert: true },
    );
  } catch (error) {
    if (!isDuplicateKey(error)) throw error; // Another process started at the same moment.
  }
}

/** From now on, no process of the previous version can start. */
export async function raiseSchemaVersion(connection: Connection, to: number): Promise<void> {
  await schemaVersionModel(connection).updateOne({ _id: id, version: to - 1 }, { $set: { version: to } });
}

function describeOther(found: number | undefined): string {
  const has = found === undefined ? 'no schema version' : `schema version ${found}`;
  const problem = `the database was created by another version of the gateway (it has ${has}, this version needs ${currentVersion} or ${previousVersion})`;
  const other = 'or name a new database in MONGODB_URI';
  if (found === undefined) return `${problem}: run that version on it, ${other}`;
  if (found > currentVersion)
    return `${problem}: start the later version again, restore a backup from before the migration to ${found}, ${other}`;
  return `${problem}, and a migration cannot skip a version: install the version for schema version ${found + 1}, run paywright database migrate there, then install the next one, ${other}`;
}
