/** Moves a database to the schema version of this version. `migration.ts` explains the steps. */
import type { Connection, mongo } from 'mongoose';
import { narrowValidator } from '../../database/collection-validator.ts';
import { raiseSchemaVersion, readSchemaVersion } from '../../database/collections/schema-version.ts';
import type { Actor, Audit } from '../audit/index.ts';
import { jobDocuments, type JobName, type WorkDone } from '../jobs/index.ts';
import type { Migration, Move } from './migration.ts';
import { createProgress, MigrationError } from './progress.ts';
import { readEarlierHosts, readStatus, type MigrationStatus } from './status.ts';
import { version7 } from './version-7.ts';

export interface Migrations {
  /** Undefined: the database has the schema version of this version, and nothing is left to do. */
  status(): Promise<MigrationStatus | undefined>;
  /**
   * Starts to move the documents. Once all are moved, starts another pass, for what hosts of the previous version
   * stored since. Does nothing while a pass runs. Throws a MigrationError.
   */
  apply(by: Actor, audit: Pick<Audit, 'run'>): Promise<void>;
  /** Starts the last step. Does nothing if it was started before. Throws a MigrationError. */
  finish(by: Actor, audit: Pick<Audit, 'run'>): Promise<void>;
  /** Handles the next page, with at most `limit` documents. For the job; several processes may do this at once. */
  next(limit: number): Promise<WorkDone>;
}

const job: JobName = 'migrate-database';
const idle: WorkDone = { done: 0, more: false };
/** How often a page is read again because its documents changed. */
const tries = 20;

export function createMigrations({
  connection,
  now,
  migration = version7,
}: {
  readonly connection: Connection;
  readonly now: () => Date;
  readonly migration?: Migration;
}): Migrations {
  const { to, moves, removes } = migration;
  const progress = createProgress(connection, migration, now);
  const earlierHosts = async () => readEarlierHosts(connection, to);

  /** Records the step in the audit log, starts it, and makes the job due. */
  async function start(by: Actor, audit: Pick<Audit, 'run'>, step: 'apply' | 'finish'): Promise<void> {
    const subject = { type: 'database', id: connection.name };
    await audit.run(by, { act: 'database.migrate', subject, plan: { step, to } }, async () => {
      await (step === 'apply' ? progress.startMoving() : progress.startFinishing());
      return { value: undefined, after: { step, to } };
    });
    const due = { name: job, type: 'single', lockedAt: null } as const;
    await jobDocuments(connection).updateOne(due, { $set: { nextRunAt: now() } });
  }

  /** True once no process of the previous version runs, and none can start any more. */
  async function shutOutEarlierHosts(): Promise<boolean> {
    if ((await earlierHosts()).length > 0) return false;
    await raiseSchemaVersion(connection, to);
    // One that started in between is registered before its processes open the database.
    return (await earlierHosts()).length === 0;
  }

  return {
    status: async () => readStatus(connection, migration, await progress.read()),

    async apply(by, audit) {
      const [version, found] = [await readSchemaVersion(connection), await progress.read()];
      const isInProgress = found?.to === to && found.phase !== 'moved';
      if (version !== to && !isInProgress) await start(by, audit, 'apply');
    },

    async finish(by, audit) {
      const found = await progress.read();
      if (found?.to !== to) {
        if ((await readSchemaVersion(connection)) === to) return;
        throw new MigrationError('Nothing was moved yet: run paywright database migrate --apply first.');
      }
      if (found.phase === 'moving')
        throw new MigrationError(
          'Documents are still being moved: wait until paywright database migrate --apply ends.',
        );
      if (found.phase !== 'moved') return;
      const earlier = await earlierHosts();
      if (earlier.length > 0)
        throw new MigrationError(
          `Hosts of the previous version run: ${earlier.map(({ hostname }) => hostname).join(', ')}. Upgrade or stop them first. A host that died is removed by the others within 10 s.`,
        );
      await start(by, audit, 'finish');
    },

    async next(limit) {
      const found = await progress.read();
      if (found?.to !== to || found.phase === 'moved' || found.phase === 'finished') return idle;
      if (found.phase === 'finishing' && !(await shutOutEarlierHosts())) return idle;
      const place = progress.collections.indexOf(found.collectionName);
      const move = moves[place];
      if (!move) throw new Error(`the migration does not know the collection ${found.collectionName}`);
      const { page, moved } = await movePage(connection, move, found.after, limit);
      const counts = { read: page.length, moved };
      const [after, following] = [page.at(-1)?._id, progress.collections[place + 1]];
      if (page.length === limit) await progress.advance(found, { after }, counts);
      else if (following !== undefined)
        await progress.advance(found, { collectionName: following, after: null }, counts);
      else if (found.phase === 'moving') await progress.advance(found, { phase: 'moved', phaseAt: now() }, counts);
      else {
        await removeOldShape(connection, removes);
        await progress.advance(found, { phase: 'finished', phaseAt: now() }, counts);
        return { done: moved, more: false };
      }
      return { done: moved, more: page.length === limit || following !== undefined };
    },
  };
}

/** Moves the next documents after one. Rejects if some of them changed again and again. */
async function movePage(connection: Connection, move: Move, after: unknown, limit: number) {
  const { collection } = move.modelOf(connection) as unknown as { collection: mongo.Collection };
  const page = await collection
    .find(after === null ? {} : { _id: { $gt: after as never } })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray();
  let [left, moved] = [page, 0];
  for (let turn = 0; turn < tries; turn += 1) {
    const updates = left.flatMap((document) => {
      const { _id } = document;
      const found = move.updateOf(document);
      return found ? [{ updateOne: { filter: { ...found.filter, _id }, update: found.update } }] : [];
    });
    if (updates.length === 0) return { page, moved };
    moved += (await collection.bulkWrite(updates, { ordered: false })).modifiedCount;
    const ids = updates.map(({ updateOne }) => updateOne.filter._id);
    left = await collection.find({ _id: { $in: ids } }).toArray();
  }
  throw new Error(`documents of ${collection.collectionName} kept changing`);
}

const [namespaceNotFound, indexNotFound] = [26, 27];

/** May be repeated. */
async function removeOldShape(connection: Connection, removes: Migration['removes']): Promise<void> {
  for (const [collection, indexes] of Object.entries(removes.indexes))
    for (const index of indexes)
      await connection
        .collection(collection)
        .dropIndex(index)
        .catch((error: unknown) => {
          const { code } = error as Partial<mongo.MongoServerError>;
          if (code !== indexNotFound && code !== namespaceNotFound) throw error;
        });
  for (const { modelOf, paths } of removes.members) await narrowValidator(connection, modelOf(connection), paths);
  for (const { collection, filter } of removes.documents) await connection.collection(collection).deleteMany(filter);
}
