import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import pino from 'pino';
import { connectDatabase, type Database } from '../connect.ts';
import { counterModel, createIdBlocks } from './counter.ts';
import { testDatabaseUri } from '../testing/test-database-uri.ts';

describe('createIdBlocks', () => {
  const born = 1_790_000_000_000;
  let database: Database;
  before(async () => {
    const uri = testDatabaseUri(`counter_${randomUUID().slice(0, 8)}`);
    database = await connectDatabase(uri, { log: pino({ level: 'silent' }) });
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });
  const create = (name: string, start = born) => createIdBlocks(database.connection, name, 10, () => start);
  const take = async (count: number, ...blocks: { next(): Promise<number> }[]) =>
    Promise.all(Array.from({ length: count }, async (_, at) => blocks[at % blocks.length]!.next()));

  it('returns no id twice for concurrent processes, and starts at the start value', async () => {
    const ids = await take(200, create('many'), create('many'), create('many'));
    expect(new Set(ids).size).to.equal(200);
    expect(Math.min(...ids)).to.equal(born);
    expect(ids.every((id) => Number.isSafeInteger(id * 1000))).to.equal(true);
  });

  it('writes the counter once per block', async () => {
    await take(10, create('rare'));
    const model = counterModel(database.connection);
    expect(await model.findById('rare').lean()).to.include({ next: born + 10 });
  });

  it('never falls behind the start value: an emptied database reuses no reference', async () => {
    const before = await take(3, create('wiped'));
    await counterModel(database.connection).deleteOne({ _id: 'wiped' });
    const ids = await take(3, create('wiped', born + 60_000));
    expect(ids.filter((id) => before.includes(id))).to.deep.equal([]);
    expect(Math.min(...ids)).to.equal(born + 60_000);
  });

  it('drops the rest of a block in which an id was already used', async () => {
    const blocks = create('taken');
    expect(await blocks.next()).to.equal(born);
    blocks.drop();
    expect(await blocks.next()).to.equal(born + 10);
  });
});
