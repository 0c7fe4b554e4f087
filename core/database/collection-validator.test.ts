import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { mongo, Schema, type Connection, type Model } from 'mongoose';
import { pino } from 'pino';
import { createLog } from '../base/log/log.ts';
import { bulkWrite, compareAndSet, noMatch } from './bulk-write.ts';
import { ensureCollections, type ModelOf } from './collections.ts';
import { connectDatabase, type Database } from './connect.ts';
import { createInsertBatcher } from './insert-batcher.ts';
import { testDatabaseUri } from './testing/test-database-uri.ts';

const { Decimal128, Mixed } = Schema.Types;
const log = pino({ level: 'silent' });
const decimal = (text: string): mongo.Decimal128 => mongo.Decimal128.fromString(text);

interface Thing {
  readonly _id: number;
  readonly state: string;
  readonly amount?: unknown;
  readonly list?: readonly unknown[];
  readonly lease?: unknown;
  readonly [member: string]: unknown;
}

const lease = new Schema({ token: { type: String, default: null }, until: Date }, { _id: false });
const entry = new Schema({ at: Date, amount: { type: Decimal128, default: null } }, { _id: false });
const members = {
  _id: { type: Number, required: true },
  state: { type: String, required: true },
  amount: Decimal128,
  bytes: Buffer,
  isOld: Boolean,
  names: [String],
  open: Mixed,
  list: [entry],
  lease: { type: lease, default: null },
};

/** A version of the gateway whose things have these additional members; all versions have one collection. */
function version(more: object = {}): (connection: Connection) => Model<Thing> {
  const name = randomUUID();
  const options = { collection: 'things', versionKey: false, autoIndex: false } as const;
  const schema = new Schema({ ...members, ...more }, options) as unknown as Schema<Thing>;
  return (connection) => (connection.models[name] ?? connection.model(name, schema)) as unknown as Model<Thing>;
}

const flat = version();
const present = version({ nested: { test: entry, deep: { text: String } } });

describe('collection validator', () => {
  let database: Database;
  let things: mongo.Collection<Thing>;
  before(async () => {
    database = await connectDatabase(testDatabaseUri(`validator_${randomUUID().slice(0, 13)}`), { log });
    things = database.connection.collection('things') as unknown as mongo.Collection<Thing>;
  });
  beforeEach(async () => {
    await things.drop().catch(() => undefined);
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  const begin = async (versionOf: (connection: Connection) => Model<Thing>): Promise<void> =>
    ensureCollections(database.connection, log, [versionOf as ModelOf]);
  const failure = async (write: Promise<unknown>): Promise<Error> =>
    write.then(
      () => expect.fail('the document was stored'),
      (error: unknown) => error as Error,
    );

  /** The log line of an error, as text, and its member `refused`. */
  function logged(error: Error): { readonly text: string; readonly refused: unknown } {
    const lines: string[] = [];
    createLog({ level: 'info', name: 'p', destination: { write: (line: string) => void lines.push(line) } }).error(
      { err: error },
      'failed',
    );
    return { text: lines.join(), refused: (JSON.parse(lines[0]!) as { err: { refused: unknown } }).err.refused };
  }

  it('accepts every member with the type of its schema', async () => {
    await begin(present);
    const at = new Date();
    await things.insertMany([
      { _id: 1, state: 'a' },
      { _id: 2 ** 40, state: 'a', amount: decimal('1.5'), bytes: Buffer.from('x'), isOld: false, names: ['a'] },
      { _id: 2.5, state: 'a', open: { any: [1, 'x', null] }, list: [{ at, amount: null }, {}], lease: null },
      { _id: 3, state: 'a', open: null, lease: { token: null }, nested: { test: { at }, deep: { text: 'x' } } },
      { _id: mongo.Long.fromNumber(4) as unknown as number, state: 'a', nested: {} },
    ]);
    expect(await things.countDocuments()).to.equal(5);
  });

  for (const [what, change, refused] of [
    ['an amount as text', { amount: '25.90-secret' }, 'amount is string, not decimal'],
    ['a number as an amount', { amount: 9_876_543_210.5 }, 'amount is double, not decimal'],
    ['null if the schema does not allow it', { amount: null }, 'amount is null, not decimal'],
    ['an amount as a number', { _id: decimal('7') }, '_id is decimal, not double or int or long'],
    ['a member that the schema does not have', { note: '25.90-secret' }, 'note is unknown'],
    ['a document without a required member', { state: undefined }, 'state is missing'],
    ['text in a list', { list: [{}, { at: '25.90-secret' }] }, 'list.1.at is string, not date'],
    ['an unknown member in a list', { list: [{ note: '25.90-secret' }] }, 'list.0.note is unknown'],
    ['an unknown member of a part', { lease: { holder: '25.90-secret' } }, 'lease.holder is unknown'],
    ['a wrong name in a list', { names: ['a', 5] }, 'names.1 is int, not string'],
    ['a wrong member of a nested part', { nested: { test: { at: 5 } } }, 'nested.test.at is int, not date'],
    ['an unknown nested part', { nested: { live: {} } }, 'nested.live is unknown'],
  ] as const) {
    it(`refuses ${what}, and the log names the member without its value`, async () => {
      await begin(present);
      const document = { _id: 1, state: 'a', ...change } as unknown as Thing;
      const error = await failure(things.insertOne(document, { ignoreUndefined: true }));
      const line = logged(error);
      expect(line.refused).to.equal(`things refused the document: ${refused}`);
      expect(line.text).not.to.match(/secret|9876543210/);
    });
  }

  it('refuses an invalid update: alone, in a bulk write and in a transaction', async () => {
    await begin(present);
    await things.insertOne({ _id: 1, state: 'a' });
    const update = { $set: { amount: '25.90-secret' } };
    const sentence = 'things refused the document: amount is string, not decimal';
    expect(logged(await failure(things.updateOne({ _id: 1 }, update))).refused).to.equal(sentence);

    const operations = [{ updateOne: { filter: { _id: 1 }, update } }];
    const session = database.connection.getClient().startSession();
    session.startTransaction();
    const inTransaction = await failure(things.bulkWrite(operations, { session, ordered: false }));
    await session.abortTransaction();
    await session.endSession();
    expect(logged(inTransaction).refused).to.equal(sentence);
    expect(logged(inTransaction).text).not.to.contain('secret');

    const results = await bulkWrite(things, operations);
    expect(results.map(({ error }) => error?.errmsg)).to.deep.equal([sentence]);
    expect(await things.find().toArray()).to.deep.equal([{ _id: 1, state: 'a' }]);
  });

  it('stores the other documents of a batch when it refuses one', async () => {
    await begin(flat);
    const insert = createInsertBatcher(flat(database.connection));
    const results = await Promise.all(
      Array.from({ length: 500 }, async (_, _id) => {
        const thing: Thing = { _id, state: 'a', ...(_id === 250 && { lease: { token: 5 } }) };
        return insert(_id === 300 ? { ...thing, amount: 'no amount' } : thing).catch((error: Error) => error.message);
      }),
    );
    expect(results.filter((result) => result !== 'stored')).to.have.length(2);
    expect(results[250]).to.contain('things refused the document: lease.token is int, not null or string');
    expect(results[300]).to.contain('no amount');
    expect(await things.countDocuments()).to.equal(498);
  });

  it('does not change the result of a compare-and-set that matches nothing', async () => {
    await begin(present);
    await things.insertOne({ _id: 1, state: 'a' });
    const set = (_id: number) => compareAndSet<Thing>({ _id, state: 'a' }, { $set: { isOld: true } });
    const results = await bulkWrite(things, [set(1), set(2)]);
    expect(results.map(({ error }) => error?.code)).to.deep.equal([undefined, noMatch]);
  });

  it('allows updates of a document that was stored before and does not match', async () => {
    await things.insertOne({ _id: 1, state: 'a', amount: 'stored before' });
    await begin(present);
    await things.updateOne({ _id: 1 }, { $set: { isOld: true } });
    expect(await things.findOne({ _id: 1 })).to.include({ isOld: true });
  });

  for (const order of [
    'the newer version starts first',
    'the older version starts first',
    'the older version starts again',
  ])
    it(`accepts the documents of both versions when ${order}`, async () => {
      const newer = version({
        added: { type: String, required: true },
        list: [{ _id: false, at: Date, added: Boolean }],
      });
      const starts = {
        'the newer version starts first': [newer, present],
        'the older version starts first': [present, newer],
        'the older version starts again': [present, newer, present],
      }[order]!;
      for (const start of starts) await begin(start);
      await things.insertMany([
        { _id: 1, state: 'a', list: [{ amount: decimal('1') }] },
        { _id: 2, state: 'a', added: 'x', list: [{ added: true }] },
      ]);
      await failure(things.insertOne({ _id: 3, state: 'a', other: 'x' }));
      await failure(things.insertOne({ _id: 3, added: 'x' } as unknown as Thing));
    });

  it('sets the validator once, and does not change it while it accepts what is stored', async () => {
    await begin(present);
    const { db } = database.connection;
    const validatorNow = async (): Promise<unknown> => (await db!.listCollections({ name: 'things' }).toArray())[0];
    const before = await validatorNow();
    await begin(present);
    expect(await validatorNow()).to.deep.equal(before);
    expect(before).to.have.nested.property('options.validationAction', 'error');
  });
});
