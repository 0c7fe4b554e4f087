/** What operators see of a migration, and the hosts that it waits for. */
import type { Connection } from 'mongoose';
import { hostModel, type Host } from '../../database/collections/host.ts';
import {
  readSchemaVersion,
  type MigrationPhase,
  type MigrationProgress,
} from '../../database/collections/schema-version.ts';
import type { Migration } from './migration.ts';

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

/** A host that died is removed by the other hosts, or after a day. Until then it may still wake up and write. */
export async function readEarlierHosts(
  connection: Connection,
  to: number,
): Promise<readonly Pick<Host, 'hostname' | 'seenAt'>[]> {
  const earlier = { $nor: [{ schemaVersion: { $gte: to } }] };
  return hostModel(connection).find(earlier, { _id: 0, hostname: 1, seenAt: 1 }).lean();
}

/** Undefined: the database has the schema version of the migration, and nothing is left to do. */
export async function readStatus(
  connection: Connection,
  migration: Migration,
  found: MigrationProgress | null,
): Promise<MigrationStatus | undefined> {
  const { to, moves } = migration;
  const version = (await readSchemaVersion(connection)) ?? to;
  const own = found?.to === to ? found : undefined;
  const state = own?.phase ?? 'waiting';
  if (version >= to && (state === 'waiting' || state === 'finished')) return undefined;
  const running = await hostModel(connection)
    .find({ schemaVersion: { $gte: to } }, { workers: 1 })
    .lean();
  return {
    version,
    to,
    state,
    moves: await Promise.all(
      moves.map(async ({ modelOf, what }) => {
        const { collection } = modelOf(connection);
        return { collection: collection.collectionName, what, documents: await collection.estimatedDocumentCount() };
      }),
    ),
    removes: describeRemovals(migration, connection),
    read: own?.read ?? 0,
    moved: own?.moved ?? 0,
    since: own?.phaseAt ?? null,
    earlierHosts: await readEarlierHosts(connection, to),
    workers: running.reduce((sum, { workers }) => sum + workers, 0),
  };
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
