/** Databases as a version left them: written by its own service (`make-fixture.ts`), and restored for a test. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import mongoose, { type Connection } from 'mongoose';
import { root } from '../support/start-gateway.ts';

const { EJSON } = mongoose.mongo.BSON;
type Document = mongoose.mongo.Document;

/** The payments of a fixture. `created` has no attempt, and `pending` waits for its callback. */
export const paymentNames = ['paid', 'refunded', 'partlyRefunded', 'failed', 'created', 'pending'] as const;
export type PaymentName = (typeof paymentNames)[number];

export interface StoredDatabase {
  /** What wrote it: a commit, or a version. */
  readonly writtenBy: string;
  readonly writtenAt: Date;
  /** The API key of the merchant. It is worth nothing elsewhere. */
  readonly key: string;
  /** The address of the merchant's receiver, in payments and notifications. */
  readonly receiver: string;
  readonly ids: Readonly<Record<PaymentName, number>>;
  readonly collections: Readonly<Record<string, StoredCollection>>;
}

interface StoredCollection {
  readonly documents: readonly Document[];
  readonly validator: Document | null;
  readonly indexes: readonly mongoose.mongo.IndexDescriptionInfo[];
}

/** Processes that are gone, and the audit log: its hashes contain times, and a test moves all times. */
const omitted = new Set(['hosts', 'wakeUps', 'traffic', 'adapterRuns', 'audit', 'rateWindows', 'idempotencyRecords']);

const fileOf = (name: string): string => join(root, 'test/upgrade/fixtures', `${name}.json.gz`);

export async function storeFixture(name: string, stored: StoredDatabase): Promise<void> {
  // Not relaxed: numbers keep the types in which they were stored.
  const text = EJSON.stringify(stored, { relaxed: false });
  await writeFile(fileOf(name), await promisify(gzip)(text, { level: 9 }));
}

export async function dumpCollections({ db }: Connection): Promise<StoredDatabase['collections']> {
  const found = await db!.listCollections({ type: 'collection' }, { nameOnly: false }).toArray();
  const kept = found.filter(({ name }) => !omitted.has(name));
  const entries = kept.map(async ({ name, options }): Promise<[string, StoredCollection]> => {
    const collection = db!.collection(name);
    const documents = await collection.find(name === 'counters' ? { _id: { $ne: 'audit' as never } } : {}).toArray();
    return [name, { documents, validator: options?.['validator'] ?? null, indexes: await collection.indexes() }];
  });
  return Object.fromEntries((await Promise.all(entries)).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Moves all times, so that nothing has expired since the fixture was written. */
export function moveTimes<T>(value: T, byMs: number): T {
  const move = (one: unknown): unknown => {
    if (one instanceof Date) return new Date(one.getTime() + byMs);
    if (Array.isArray(one)) return one.map(move);
    if (one === null || typeof one !== 'object' || '_bsontype' in one) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, move(member)]));
  };
  return move(value) as T;
}

/** Restores the fixture with its validators and indexes. `receiver`: the merchant's address from now on. */
export async function restoreFixture(name: string, uri: string, receiver: string): Promise<StoredDatabase> {
  const text = (await promisify(gunzip)(await readFile(fileOf(name)))).toString('utf8');
  const { receiver: before } = EJSON.parse(text, { relaxed: false }) as StoredDatabase;
  const stored = EJSON.parse(text.replaceAll(before, receiver), { relaxed: false }) as StoredDatabase;
  const byMs = Date.now() - stored.writtenAt.getTime();
  const connection = await mongoose.createConnection(uri).asPromise();
  try {
    for (const [collectionName, { documents, validator, indexes }] of Object.entries(stored.collections)) {
      const collection = await connection.db!.createCollection(collectionName, {
        ...(validator && { validator, validationLevel: 'moderate' }),
      });
      const own = indexes.filter((index) => index.name !== '_id_');
      if (own.length > 0) await collection.createIndexes(plainNumbers(own));
      if (documents.length > 0) await collection.insertMany([...moveTimes(documents, byMs)]);
    }
  } finally {
    await connection.close();
  }
  return { ...stored, ids: plainNumbers(stored.ids) };
}

/** Numbers of MongoDB's types as numbers of JavaScript: directions of indexes, and ids. */
function plainNumbers<T>(value: T): T {
  return EJSON.parse(EJSON.stringify(value, { relaxed: true }), { relaxed: true }) as T;
}
