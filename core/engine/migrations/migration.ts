/**
 * A migration moves a database from one schema version to the next, while the service runs. There is one file per
 * version, `version-<n>.ts`, and only the newest one is used: a version of the service runs on databases of its own
 * schema version and of the one before.
 *
 * Three steps, so that hosts can be upgraded one after another, and rolled back:
 *
 * 1. Expand. Every start makes validators and indexes that both versions can use (`core/database/collections.ts`). The
 *    code reads both shapes and writes the new one.
 * 2. Move (`database migrate --apply`). The job `migrate-database` reads the listed collections and rewrites documents
 *    of the old shape. Hosts of the previous version may still run, so a moved document must be readable for them.
 * 3. Finish (`database migrate --finish`), once no host of the previous version runs. The schema version is raised,
 *    so that no such host can start. All documents are read again, because such hosts may have written the old shape
 *    behind the first pass. Then the old shape is removed: indexes, members of validators, documents.
 *
 * Why this is safe:
 *
 * - If a process dies: a page of documents is moved before the progress is stored, so at most one page is read twice.
 *   `updateOf` returns nothing for a moved document, and every removal may be repeated.
 * - If two processes move the same page: each update names the version of the document that it read. The progress is
 *   stored only by the process that finds it as it was.
 * - If a payment changes during the move: the update does not match, and the document is read again.
 */
import type { Connection, mongo } from 'mongoose';
import type { ValidatedModel } from '../../database/collection-validator.ts';

export interface Migration {
  /** The schema version of the database afterwards. The version before is one less. */
  readonly to: number;
  /** At least one. */
  readonly moves: readonly Move[];
  readonly removes: Removals;
}

type ModelOf = (connection: Connection) => ValidatedModel;

/** What happens to the documents of one collection. */
export interface Move {
  readonly modelOf: ModelOf;
  /** For the plan: what changes, as a phrase. */
  readonly what: string;
  /**
   * Returns the update of a document of the old shape. Undefined: the document has the new shape. Must return undefined
   * for a document that it has moved. It must not change what the API answers.
   */
  updateOf(document: mongo.Document): MoveUpdate | undefined;
}

export interface MoveUpdate {
  /** In addition to the id: matches only the document as it was read. */
  readonly filter: mongo.Document;
  readonly update: mongo.Document;
}

/** What only the previous version needs. */
export interface Removals {
  /** Names of indexes by collection. */
  readonly indexes: Readonly<Record<string, readonly string[]>>;
  /** Members whose validator becomes that of this version. Lists are passed through: `attempts.captureFailedAt`. */
  readonly members: readonly { readonly modelOf: ModelOf; readonly paths: readonly string[] }[];
  readonly documents: readonly {
    readonly collection: string;
    readonly filter: mongo.Document;
    readonly what: string;
  }[];
}
