/** Moves a database to the schema version of this version. `migration.ts` explains the steps. */
import type { Connection, mongo } from 'mongoose';
import { narrowValidator } from '../../database/collection-validator.ts';
import { hostModel } from '../../database/collections/host.ts';
import {
  migrationProgressModel,
  raiseSchemaVersion,
  readSchemaVersion,
  type MigrationPhase,
  type MigrationProgress,
} from '../../database/collections/schema-version.ts';
import { isDuplicateKey } from '../../database/duplicate-key.ts';
import type { Actor, Audit } from '../audit/index.ts';
import { jobDocuments, type JobName, type WorkDone } from '../jobs/index.ts';
import type { Migration, Move } from './migration.ts';
import { version7 } from './version-7.ts';

/** `waiting`: not requested yet. */
export type MigrationState = 'waiting' | MigrationPhase;

export interface MigrationStatus {
  /** The schema version of the database. */
  readonly version: number;
  /** The schema version of this version of the service. */
  readonly to: number;
  readonly state: MigrationState;
  /** The collections whose documents are moved. `documents` is an estimate of MongoDB. */
  readonly moves: readonly { readonly collection: string; readonly what: string; readonly documents: number }[];
  /** What the last step removes, one phrase each. */
  readonly removes: readonly string[];
  /** Number of documents that the pass in progress, or the latest one, has read. */
  readonly read: number;
  /** Number of documents that were moved so far; without those of a process that died or was slower than another. */
  readonly moved: number;
  /** When the state began; null: it is `waiting`. */
  readonly since: Date | null;
  /** Hosts of the previous version: the last step waits for them. */
  readonly earlierHosts: readonly { readonly hostname: string; readonly seenAt: Date }[];
  /** Number of workers of this version, on all hosts. */
  readonly workers: number;
}

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

/** The step is not possible now. The message says why, and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

const id = 'migration';
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
  const progress = migrationProgressModel(connection);
  const hosts = hostModel(connection);
  const ofThisVersion = { schemaVersion: { $gte: to } };
  const [first, ...others] = moves.map((move) => move.modelOf(connection).collection.collectionName);
  if (first === undefined) throw new Error(`the migration to schema version ${to} moves no collection`);
  const names = [first, ...others];

  const read = async (): Promise<MigrationProgress | null> => progress.findById(id).lean();
  // A host that died is removed by the other hosts, or after a day: until then it may still wake up and write.
  const earlierHosts = async () => hosts.find({ $nor: [ofThisVersion] }, { hostname: 1, seenAt: 1 }).lean();

  async function startMoving(): Promise<void> {
    const at = now();
    const fresh = { to, ...startOfPass('moving', at), moved: 0, startedAt: at };
    const before = await read();
    if (before && before.to < to && before.phase !== 'finished')
      throw new MigrationError(
        `The migration to schema version ${before.to} is not finished: run paywright database migrate --finish with the version before this one.`,
      );
    await progress.updateOne({ _id: id, to, phase: 'moved' }, { $set: startOfPass('moving', at) });
    if (before && before.to < to) await progress.updateOne({ _id: id, to: before.to }, { $set: fresh });
    await progress.updateOne({ _id: id }, { $setOnInsert: fresh }, { upsert: true }).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error; // Another process started it at the same moment.
    });
  }

  function startOfPass(phase: MigrationPhase, phaseAt: Date) {
    return { phase, phaseAt, collectionName: first!, after: null, read: 0 };
  }

  async function startFinishing(): Promise<void> {
    await progress.updateOne({ _id: id, to, phase: 'moved' }, { $set: startOfPass('finishing', now()) });
  }

  /** Records the step in the audit log, starts it, and makes the job due. */
  async function start(by: Actor, audit: Pick<Audit, 'run'>, step: 'apply' | 'finish'): Promise<void> {
    const subject = { type: 'database', id: connection.name };
    await audit.run(by, { act: 'database.migrate', subject, plan: { step, to } }, async () => {
      await (step === 'apply' ? startMoving() : startFinishing());
      return { value: undefined, after: { step, to } };
    });
    const due = { name: job, type: 'single', lockedAt: null } as const;
    await jobDocuments(connection).updateOne(due, { $set: { nextRunAt: now() } });
  }

  /** Stores the progress, unless another process was faster. */
  async function advance(
    { phase, collectionName, after }: MigrationProgress,
    next: Partial<MigrationProgress>,
    counts: { readonly read: number; readonly moved: number },
  ): Promise<void> {
    const asFound = { _id: id, to, phase, collectionName, after } as object;
    await progress.collection.updateOne(asFound, { $set: next, $inc: counts });
  }

  /** True once no process of the previous version runs, and none can start any more. */
  async function shutOutEarlierHosts(): Promise<boolean> {
    if ((await earlierHosts()).length > 0) return false;
    await raiseSchemaVersion(connection, to);
    // One that started in between is registered before its processes open the database.
    return (await earlierHosts()).length === 0;
  }

  return {
    async status() {
      const [version = to, found] = [await readSchemaVersion(connection), await read()];
      const state = found?.to === to ? found.phase : 'waiting';
      if (version >= to && (state === 'waiting' || state === 'finished')) return undefined;
      const [earlier, running] = [await earlierHosts(), await hosts.find(ofThisVersion, { workers: 1 }).lean()];
      return {
        version,
        to,
        state,
        moves: await Promise.all(
          moves.map(async ({ modelOf, what }) => {
            const { collection } = modelOf(connection);
            return {
              collection: collection.collectionName,
              what,
              documents: await collection.estimatedDocumentCount(),
            };
          }),
        ),
        removes: describeRemovals(migration, connection),
        read: state === 'waiting' ? 0 : (found?.read ?? 0),
        moved: state === 'waiting' ? 0 : (found?.moved ?? 0),
        since: state === 'waiting' ? null : (found?.phaseAt ?? null),
        earlierHosts: earlier.map(({ hostname, seenAt }) => ({ hostname, seenAt })),
        workers: running.reduce((sum, { workers }) => sum + workers, 0),
      };
    },

    async apply(by, audit) {
      const [version, found] = [await readSchemaVersion(connection), await read()];
      const isInProgress = found?.to === to && found.phase !== 'moved';
      if (version !== to && !isInProgress) await start(by, audit, 'apply');
    },

    async finish(by, audit) {
      const found = await read();
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
      const found = await read();
      if (found?.to !== to || found.phase === 'moved' || found.phase === 'finished') return idle;
      if (found.phase === 'finishing' && !(await shutOutEarlierHosts())) return idle;
      const place = names.indexOf(found.collectionName);
      const move = moves[place];
      if (!move) throw new Error(`the migration does not know the collection ${found.collectionName}`);
      const { page, moved } = await movePage(connection, move, found.after, limit);
      const counts = { read: page.length, moved };
      const [after, following] = [page.at(-1)?._id, names[place + 1]];
      if (page.length === limit) await advance(found, { after }, counts);
      else if (following !== undefined) await advance(found, { collectionName: following, after: null }, counts);
      else if (found.phase === 'moving') await advance(found, { phase: 'moved', phaseAt: now() }, counts);
      else {
        await removeOldShape(connection, removes);
        await advance(found, { phase: 'finished', phaseAt: now() }, counts);
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

function describeRemovals({ removes }: Migration, connection: Connection): readonly string[] {
  return [
    ...Object.entries(removes.indexes).map(
      ([collection, indexes]) => `indexes of ${collection}: ${indexes.join(', ')}`,
    ),
    ...removes.members.map(
      ({ modelOf, paths }) =>
        `old types and members that the rules of ${modelOf(connection).collection.collectionName} accept: ${paths.join(', ')}`,
    ),
    ...removes.documents.map(({ collection, what }) => `documents of ${collection}: ${what}`),
  ];
}
