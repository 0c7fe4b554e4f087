/** Shards the collections that grow with payments on a sharded cluster, by the keys in `shard-keys.ts`. */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { ensureCollections } from './collections.ts';
import { shardKeys } from './shard-keys.ts';

/** The connection does not go through a mongos. */
export class NoClusterError extends Error {
  override readonly name = 'NoClusterError';
}

/**
 * `done`: sharded by this call; `before`: already sharded; `other`: already sharded by another key, which only
 * MongoDB's resharding can change.
 */
export type ShardState = 'done' | 'before' | 'other';

export interface ShardedCollection {
  readonly collection: string;
  readonly key: string;
  readonly state: ShardState;
}

/** Creates missing collections and shards each collection that is not sharded. Can be called again. */
export async function shardCollections(
  connection: Connection,
  log: Pick<Logger, 'warn'>,
): Promise<readonly ShardedCollection[]> {
  const client = connection.getClient();
  const admin = client.db('admin');
  const { msg } = (await admin.command({ hello: 1 })) as { readonly msg?: unknown };
  if (msg !== 'isdbgrid')
    throw new NoClusterError(
      'The MongoDB server at this address is not a mongos of a sharded cluster: set MONGODB_URI to a mongos.',
    );
  await ensureCollections(connection, log);
  const present = client.db('config').collection<{ _id: string; key: mongo.Document }>('collections');
  const sharded: ShardedCollection[] = [];
  for (const [collection, { key }] of Object.entries(shardKeys)) {
    const namespace = `${connection.db!.databaseName}.${collection}`;
    const before = await present.findOne({ _id: namespace });
    if (!before) {
      // MongoDB creates this index automatically only for an empty collection.
      await connection.collection(collection).createIndex({ [key]: 'hashed' });
      await admin.command({ shardCollection: namespace, key: { [key]: 'hashed' } });
    }
    const state = before ? (before.key[key] === 'hashed' ? 'before' : 'other') : 'done';
    sharded.push({ collection, key, state });
  }
  return sharded;
}

/** The same as commands for mongosh, run on the database of the service. */
export function toShardScript(): readonly string[] {
  return Object.entries(shardKeys).flatMap(([collection, { key }]) => [
    `db.${collection}.createIndex({ ${key}: 'hashed' });`,
    `sh.shardCollection(db.getName() + '.${collection}', { ${key}: 'hashed' });`,
  ]);
}
