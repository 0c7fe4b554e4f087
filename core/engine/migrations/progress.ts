/**
 * The stored progress of a migration: one document. Each change names the progress that it found, so that only one of
 * several processes makes it.
 */
import type { Connection } from 'mongoose';
import {
  migrationProgressModel,
  type MigrationPhase,
  type MigrationProgress,
} from '../../database/collections/schema-version.ts';
import { isDuplicateKey } from '../../database/duplicate-key.ts';
import type { Migration } from './migration.ts';

/** The step is not possible now. The message says why, and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

const id = 'migration';

export function createProgress(connection: Connection, { to, moves }: Migration, now: () => Date) {
  const model = migrationProgressModel(connection);
  const collections = moves.map(({ modelOf }) => modelOf(connection).collection.collectionName);
  const [collectionName] = collections;
  if (collectionName === undefined) throw new Error(`the migration to schema version ${to} moves no collection`);
  const startOfPass = (phase: MigrationPhase) => ({ phase, phaseAt: now(), collectionName, after: null, read: 0 });
  const read = async (): Promise<MigrationProgress | null> => model.findById(id).lean();

  return {
    /** The names of the collections, in their order. */
    collections,
    /** Null: no migration was ever started. */
    read,

    async startMoving(): Promise<void> {
      const before = await read();
      if (before && before.to < to && before.phase !== 'finished')
        throw new MigrationError(
          `The migration to schema version ${before.to} is not finished: run paywright database migrate --finish with the version before this one.`,
        );
      await model.updateOne({ _id: id, to, phase: 'moved' }, { $set: startOfPass('moving') });
      const fresh = { to, ...startOfPass('moving'), moved: 0, startedAt: now() };
      if (before && before.to < to) await model.updateOne({ _id: id, to: before.to }, { $set: fresh });
      await model.updateOne({ _id: id }, { $setOnInsert: fresh }, { upsert: true }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error; // Another process started it at the same moment.
      });
    },

    async startFinishing(): Promise<void> {
      await model.updateOne({ _id: id, to, phase: 'moved' }, { $set: startOfPass('finishing') });
    },

    /** Does nothing if another process was faster. */
    async advance(
      { phase, collectionName: current, after }: MigrationProgress,
      next: Partial<MigrationProgress>,
      counts: { readonly read: number; readonly moved: number },
    ): Promise<void> {
      const asFound = { _id: id, to, phase, collectionName: current, after } as object;
      await model.collection.updateOne(asFound, { $set: next, $inc: counts });
    },
  };
}
