import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { mongo } from 'mongoose';
import { pino } from 'pino';
import { bulkWrite, compareAndSet, noMatch } from './bulk-write.ts';
import { connectDatabase, type Database } from './connect.ts';
import { duplicateKey } from './duplicate-key.ts';
import { testDatabaseUri } from './testing/test-database-uri.ts';

interface Thing {
  readonly _id: number;
  readonly version: number;
  readonly list?: readonly string[];
}

describe('bulkWrite', () => {
  let database: Database;
  let things: mongo.Collection<Thing>;
  before(async () => {
    const uri = testDatabaseUri(`bulk_${randomUUID().slice(0, 13)}`);
    database = await connectDatabase(uri, { log: pino({ level: 'silent' }) });
    things = database.connection.collection('things') as unknown as mongo.Collection<Thing>;
    await things.insertMany([1, 2, 3].map((_id) => ({ _id, version: 1 })));
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  const set = (_id: number, version: number) =>
    compareAndSet<Thing>({ _id, version }, { $set: { version: version + 1 }, $push: { list: 'x' } });

  it('returns which compare-and-set matched, and stores no other', async () => {
    const results = await bulkWrite(things, [set(1, 1), set(2, 7), set(4, 1), set(3, 1), set(3, 1)]);
    expect(results.map(({ error }) => error?.code)).to.deep.equal([undefined, noMatch, noMatch, undefined, noMatch]);
    expect(await things.find().sort({ _id: 1 }).toArray()).to.deep.equal([
      { _id: 1, version: 2, list: ['x'] },
      { _id: 2, version: 1 },
      { _id: 3, version: 2, list: ['x'] },
    ]);
  });

  it('returns which documents are new, and which ids existed', async () => {
    const insert = (_id: number) => ({ insertOne: { document: { _id, version: 1 } } });
    const upsert = (_id: number) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { version: 1 } }, upsert: true },
    });
    const results = await bulkWrite(things, [insert(10), insert(1), insert(11), upsert(12), upsert(1)]);
    expect(results.map(({ error, isNew }) => error?.code ?? isNew)).to.deep.equal([
      true,
      duplicateKey,
      true,
      true,
      false,
    ]);
  });

  it('rejects if the result of every operation is unknown', async () => {
    const impossible = { w: 50, wtimeout: 1000 };
    const failed = await bulkWrite(things, [set(1, 2), set(1, 99)], impossible).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
  });
});
