/** Shards the collections that grow with payments, on a cluster, by the keys of `shard-keys.ts`. */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { ensureCollections } from './collections.ts';
import { shardKeys } from './shard-keys.ts';

/** The database is not reached by way of a mongos. */
export class NoClusterError extends Error {
  override readonly name = 'NoClusterError';
}

/** `done`: by this call; `before`: it was; `other`: it was, by another key, which only MongoDB's resharding changes. */
export type ShardState = 'done' | 'before' | 'other';

export interface ShardedCollection {
  readonly collection: string;
  readonly key: string;
  readonly state: ShardState;
}

/** Makes the collections that are missing, and shards each that is not. May be called again. */
export async function shardCollections(
  connection: Connection,
  log: Pick<Logger, 'warn'>,
): Promise<readonly ShardedCollection[]> {
  const client = connection.getClient();
  const admin = client.db('admin');
  const { msg } = (await admin.command({ hello: 1 })) as { readonly msg?: unknown };
  if (msg !== 'isdbgrid')
    throw new NoClusterError('The MongoDB at this address is no mongos of a sharded cluster: name one in MONGODB_URI.');
  await ensureCollections(connection, log);
  const present = client.db('config').collection<{ _id: string; key: mongo.Document }>('collections');
  const sharded: ShardedCollection[] = [];
  for (const [collection, { key }] of Object.entries(shardKeys)) {
    const namespace = `${connection.db!.databaseName}.${collection}`;
    const before = await present.findOne({ _id: namespace });
    if (!before) {
      // MongoDB makes it by itself for an empty collection only.
      await connection.collection(collection).createIndex({ [key]: 'hashed' });
      await admin.command({ shardCollection: namespace, key: { [key]: 'hashed' } });
    }
    const state = before ? (before.key[key] === 'hashed' ? 'before' : 'other') : 'done';
    sharded.push({ collection, key, state });
  }
  return sharded;
}

/** The same for mongosh, on the service's database. */
export function toShardScript(): readonly string[] {
  return Object.entries(shardKeys).flatMap(([collection, { key }]) => [
    `db.${collection}.createIndex({ ${key}: 'hashed' });`,
    `sh.shardCollection(db.getName() + '.${collection}', { ${key}: 'hashed' });`,
  ]);
}
