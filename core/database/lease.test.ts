import { testDatabaseUri } from './testing/test-database-uri.ts';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { Schema, type Model } from 'mongoose';
import pino from 'pino';
import { connectDatabase, type Database } from './connect.ts';
import { createLeases, endLease, indexLeases, leaseSchema, noLease, type Lease, type Leases } from './lease.ts';
import { modelFor } from './model.ts';

interface Task {
  readonly _id: number;
  readonly dueAt?: Date;
  readonly lease: Lease;
  readonly result?: string;
}

const leaseMs = 60_000;
const schema = new Schema<Task>(
  { _id: Number, dueAt: Date, lease: leaseSchema, result: String },
  { collection: 'tasks', strict: 'throw', versionKey: false, autoIndex: false },
);
indexLeases(schema, 'dueAt');

describe('createLeases', () => {
  let database: Database;
  let model: Model<Task>;
  let leases: Leases<Task>;
  before(async () => {
    const uri = testDatabaseUri(`lease_${randomUUID().slice(0, 8)}`);
    database = await connectDatabase(uri, { log: pino({ level: 'silent' }) });
    model = modelFor(database.connection, 'Task', schema);
    await model.createIndexes();
    leases = createLeases(model, 'dueAt', leaseMs);
  });
  afterEach(async () => model.deleteMany({}));
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  async function insert(count: number, dueInMs = -1000): Promise<number[]> {
    const tasks = Array.from({ length: count }, (_, at): Task => {
      return { _id: at + 1, dueAt: new Date(Date.now() + dueInMs + at), lease: noLease };
    });
    await model.insertMany(tasks);
    return tasks.map(({ _id }) => _id);
  }

  /** Simulates that this much time has passed. */
  async function pass(ms: number): Promise<void> {
    await model.updateMany({ dueAt: { $exists: true } }, [{ $set: { dueAt: { $subtract: ['$dueAt', ms] } } }], {
      updatePipeline: true,
    });
  }

  const read = async (id: number): Promise<Task> => model.findById(id).orFail().lean<Task>();

  it('gives each document to exactly one of several concurrent claims', async () => {
    const ids = await insert(10);
    const all = await Promise.all(['w1', 'w2', 'w3', 'w4'].map(async (worker) => leases.claim(ids, worker)));
    expect(all.flat().map(({ _id }) => _id))
      .to.have.members(ids)
      .and.to.have.length(10);
    expect(await leases.claim(ids, 'w5')).to.deep.equal([]);
    expect(await leases.claimNext('w5')).to.equal(undefined);
  });

  it('claims what is due by the server’s clock, longest due first', async () => {
    await insert(3);
    await model.create({ _id: 9, dueAt: new Date(Date.now() + 30_000), lease: noLease });
    await model.create({ _id: 10, lease: noLease });
    const claimed = [];
    for (let next = await leases.claimNext('w'); next; next = await leases.claimNext('w')) claimed.push(next._id);
    expect(claimed).to.deep.equal([1, 2, 3]);
    expect(await model.find(leases.due())).to.deep.equal([]);
  });

  it('counts no expiry when the lease ended with a result', async () => {
    const [id = 0] = await insert(1);
    const claimed = (await leases.claimNext('w'))!;
    expect(claimed.lease).to.deep.include({ worker: 'w', expiries: 0 });
    await model.updateOne(
      { _id: id, 'lease.token': claimed.lease.token },
      { $set: { ...endLease, result: 'done', dueAt: new Date(0) } },
    );
    expect((await leases.claimNext('w2'))!.lease.expiries).to.equal(0);
  });

  it('releases a document without an expiry', async () => {
    const [id = 0] = await insert(1);
    const { lease } = (await leases.claimNext('w'))!;
    expect(await leases.release(id, 'another')).to.equal(false);
    expect(await leases.release(id, lease.token!)).to.equal(true);
    const again = (await leases.claimNext('w2'))!;
    expect(again.lease).to.deep.include({ worker: 'w2', expiries: 0 });
    expect(await leases.release(id, lease.token!)).to.equal(false);
  });

  it('counts an expiry each time a holder ends without a result', async () => {
    const [id = 0] = await insert(1);
    for (const expiries of [0, 1, 2]) {
      expect((await leases.claimNext('w'))!.lease.expiries).to.equal(expiries);
      await pass(leaseMs - 10_000);
      expect(await leases.claim([id], 'w2')).to.deep.equal([]);
      await pass(10_000);
    }
  });

  it('renews a lease only for its holder', async () => {
    const [id = 0] = await insert(1);
    const { lease } = (await leases.claimNext('w'))!;
    await pass(leaseMs - 10_000);
    expect(await leases.renew(id, lease.token!, { result: 'half' })).to.equal(true);
    await pass(leaseMs - 10_000);
    expect(await leases.claimNext('w2')).to.equal(undefined);
    expect((await read(id)).result).to.equal('half');
    await pass(10_000);
    await leases.claimNext('w2');
    expect(await leases.renew(id, lease.token!)).to.equal(false);
  });

  it('frees the leases of a dead worker immediately, and counts them as expired', async () => {
    const ids = await insert(3);
    await leases.claim(ids.slice(0, 2), 'dead');
    await leases.claim(ids.slice(2), 'alive');
    expect(await leases.releaseWorker('dead')).to.equal(2);
    expect(await leases.releaseWorker('dead')).to.equal(0);
    const again = await leases.claim(ids, 'w');
    expect(again.map(({ _id, lease }) => [_id, lease.expiries])).to.deep.equal([
      [1, 1],
      [2, 1],
    ]);
  });

  it('returns when the next document is due', async () => {
    expect(await leases.nextDueAt()).to.equal(undefined);
    await insert(2, 5000);
    expect(await leases.nextDueAt()).to.deep.equal((await read(1)).dueAt);
    expect(await leases.nextDueAt({ _id: { $gt: 1 } })).to.deep.equal((await read(2)).dueAt);
  });

  it('releases a claim whose answer was lost, without an expiry', async () => {
    const ids = await insert(3);
    const { collection } = model;
    const updateMany = collection.updateMany.bind(collection);
    const losing = async (...given: Parameters<typeof updateMany>): Promise<never> => {
      collection.updateMany = updateMany;
      await updateMany(...given);
      throw new Error('the answer was lost');
    };
    collection.updateMany = losing;
    const lost: unknown = await leases.claim(ids, 'w').catch((error: unknown) => error);
    expect(lost).to.be.instanceOf(Error);
    expect((await read(1)).lease.worker).to.equal('w');
    expect((await leases.nextDueAt())!.getTime()).to.be.at.most(Date.now());
    const again = await leases.claim(ids, 'w2');
    expect(again.map(({ lease }) => lease.expiries)).to.deep.equal([0, 0, 0]);
  });

  it('releases an orphaned claim once its open work has ended, without an expiry', async () => {
    await insert(2);
    const { _id, lease } = (await leases.claimNext('w'))!;
    await leases.claimNext('w');
    let tries = 0;
    leases.releaseWhenBack(lease.token!, 'w', async () => {
      tries += 1;
      if (tries === 1) throw new Error('the database does not answer');
    });
    expect(await leases.claimNext('w').catch((error: Error) => error.message)).to.equal('the database does not answer');
    expect((await leases.claimNext('w2'))!)
      .to.deep.include({ _id })
      .and.have.nested.property('lease.expiries', 0);
    expect(await leases.claimNext('w2'), 'the other claim is unchanged').to.equal(undefined);
    await leases.releaseOrphaned();
    expect(tries).to.equal(2);
  });

  it('queries due documents by index', async () => {
    await insert(3);
    const plan = JSON.stringify(await model.find(leases.due()).sort({ dueAt: 1 }).lean().explain('queryPlanner'));
    expect(plan).to.contain('"indexName":"dueAt_1"').and.not.contain('COLLSCAN');
    await model.deleteMany({});
    await insert(200, 30_000);
    const { executionStats } = (await model
      .find(leases.due())
      .sort({ dueAt: 1 })
      .lean()
      .explain('executionStats')) as unknown as { executionStats: { totalKeysExamined: number } };
    expect(executionStats.totalKeysExamined, 'documents that are due later are not read').to.be.at.most(1);
  });

  it('finds the leases of a dead worker among many without reading other documents', async () => {
    const { db } = database.connection;
    await insert(300, -10 * leaseMs);
    const held = (await leases.claim([1, 2, 3], 'w')).length;
    await db!.command({ profile: 2 });
    expect(await leases.tokensOf('w')).to.have.length(1);
    expect(await leases.releaseWorker('w')).to.equal(held);
    await db!.command({ profile: 0 });
    const profiled = await db!
      .collection<{ ns: string; docsExamined?: number; planSummary?: string }>('system.profile')
      .find({ ns: /tasks$/ })
      .toArray();
    expect(profiled.map(({ planSummary }) => planSummary)).to.deep.equal([
      'IXSCAN { dueAt: 1 }',
      'IXSCAN { dueAt: 1 }',
    ]);
    expect(profiled.map(({ docsExamined }) => docsExamined)).to.deep.equal([held, held]);
  });
});
