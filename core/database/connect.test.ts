import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import pino from 'pino';
import { until } from '../base/testing/until.ts';
import { COMMAND_LIMIT_MS, connectDatabase, manyDocuments, type Database } from './connect.ts';
import { createDatabaseProbe } from './database-probe.ts';
import { startDatabaseProxy, type DatabaseProxy } from './testing/database-proxy.ts';

const silent = pino({ level: 'silent' });
/** Extra time that a busy machine may need beyond a limit. */
const marginMs = 1000;

interface Row {
  readonly _id: number;
  readonly a?: number;
}

/** The driver's client, as far as its types do not have it. */
interface DriverClient {
  readonly topology: {
    readonly s: {
      readonly servers: ReadonlyMap<
        string,
        { readonly pool: { readonly options: { readonly minPoolSizeCheckFrequencyMS: number } } }
      >;
    };
  };
}

describe('connectDatabase', () => {
  it('uses our durability and read settings, whatever the connection string asks for', async () => {
    const proxy = await startDatabaseProxy();
    const asks = [
      'readPreference=secondaryPreferred',
      'readConcernLevel=majority',
      'w=1',
      'journal=false',
      'retryWrites=false',
    ];
    const uri = `${proxy.uri('connect_options')}&${asks.join('&')}`;
    const database = await connectDatabase(uri, { log: silent });
    try {
      const { readPreference, readConcern, writeConcern, retryWrites } = database.connection.getClient().options;
      expect({ read: readPreference.mode, concern: readConcern?.level, retryWrites }).to.deep.equal({
        read: 'primary',
        concern: 'local',
        retryWrites: true,
      });
      expect(writeConcern).to.include({ w: 'majority', journal: true });
    } finally {
      await database.close();
      await proxy.close();
    }
  });

  it('does not wake every 100 ms to check the size of its pool', async () => {
    const proxy = await startDatabaseProxy();
    const database = await connectDatabase(proxy.uri('connect_options'), { log: silent });
    try {
      await database.isUp();
      const { topology } = database.connection.getClient() as unknown as DriverClient;
      const intervals = [...topology.s.servers.values()].map(({ pool }) => pool.options.minPoolSizeCheckFrequencyMS);
      expect(intervals).to.deep.equal([60_000]);
    } finally {
      await database.close();
      await proxy.close();
    }
  });

  it('refuses a connection string that disables journaling through the old option name', async () => {
    const proxy = await startDatabaseProxy();
    const refused = await connectDatabase(`${proxy.uri('connect_options')}&j=false`, { log: silent }).then(
      async (database) => database.close(),
      ({ message }: Error) => message,
    );
    await proxy.close();
    expect(refused).to.match(/^MONGODB_URI asks for writes that are not journaled/);
  });
});

describe('connectDatabase when the database does not answer', function () {
  this.timeout(120_000);
  let proxy: DatabaseProxy;
  let database: Database;
  beforeEach(async () => {
    proxy = await startDatabaseProxy();
    database = await connectDatabase(proxy.uri(`connect_${randomUUID().slice(0, 8)}`), {
      log: silent,
      patience: 'request',
    });
    await rows().insertMany([{ _id: 1 }, { _id: 2 }]);
  });
  afterEach(async () => {
    proxy.resume();
    await database.connection.dropDatabase();
    await database.close();
    await proxy.close();
  });

  const rows = () => database.connection.collection<Row>('rows');

  /** Expects that `what` rejects within the limit. */
  async function failsWithin(limitMs: number, what: Promise<unknown>): Promise<void> {
    const late = sleep(limitMs + marginMs, 'late', { ref: false });
    const end = what.then(
      () => 'done',
      () => 'failed',
    );
    expect(await Promise.race([end, late])).to.equal('failed');
  }

  const commands = {
    'a read': async () => rows().findOne({ _id: 1 }),
    'a read of many': async () => rows().find().toArray(),
    'an aggregate': async () => rows().aggregate([]).toArray(),
    'an insert': async () => rows().insertOne({ _id: 3 }),
    'an update': async () => rows().updateOne({ _id: 1 }, { $set: { a: 1 } }),
    'an update of many': async () => rows().updateMany({}, { $set: { a: 1 } }),
    'a claim': async () => rows().findOneAndUpdate({ _id: 1 }, { $set: { a: 1 } }),
  } as const;
  const all = Object.values(commands);

  it('reports a frozen database within 1.5 s, and fails waiting commands within 4 s', async () => {
    expect(await database.isUp()).to.equal(true);
    proxy.freeze();
    const waiting = Promise.all(all.map(async (command) => failsWithin(COMMAND_LIMIT_MS, command())));
    const late = sleep(1500 + marginMs, 'late', { ref: false });
    expect(await Promise.race([database.isUp(), late])).to.equal(false);
    await waiting;
    await failsWithin(COMMAND_LIMIT_MS, rows().findOne({ _id: 1 }));
    proxy.resume();
    await until('the database works again', async () => database.isWorking());
  });

  it('fails every command within 4 s if only the heartbeat is answered, and does not report the database as up', async () => {
    proxy.hold('find', 'aggregate', 'insert', 'update', 'findAndModify');
    await Promise.all(all.map(async (command) => failsWithin(COMMAND_LIMIT_MS, command())));
    await database.connection.db?.admin().command({ ping: 1 });
    expect([await database.isUp(), await database.isWorking()]).to.deep.equal([false, false]);
    proxy.resume();
    await until('the database works again', async () => database.isWorking());
  });

  it('fails the commands of background work within 7 s too, although each may take 30 s', async () => {
    const patient = await connectDatabase(proxy.uri(database.connection.name), { log: silent });
    proxy.freeze();
    await failsWithin(7000, patient.connection.collection<Row>('rows').findOne({ _id: 1 }));
    proxy.resume();
    await patient.close();
  });

  it('is not up without reads, and up but not working without writes', async () => {
    proxy.hold('find');
    expect([await database.isUp(), await database.isWorking()]).to.deep.equal([false, false]);
    proxy.resume();
    proxy.hold('update');
    expect([await database.isUp(), await database.isWorking()]).to.deep.equal([true, false]);
    proxy.resume();
    expect(await database.isWorking()).to.equal(true);
  });

  it('is reported as silent as soon as one try of a write gets no answer, until it works again', async () => {
    const probe = createDatabaseProbe(database, silent);
    try {
      expect(await probe.check()).to.equal(true);
      proxy.hold('update');
      const order: string[] = [];
      probe.onDatabaseLost(() => order.push('silent'));
      await commands['an update']().catch(() => order.push('failed'));
      // The first of its two tries is enough to raise the doubt.
      expect(order).to.deep.equal(['silent', 'failed']);
      expect(await probe.check()).to.equal(false);
      proxy.resume();
      await until('the database is used again', async () => probe.check());
    } finally {
      probe.stop();
    }
  });

  it('waits longer for commands on many documents, and without a limit for background connections', async () => {
    const patient = await connectDatabase(proxy.uri(database.connection.name), { log: silent });
    proxy.hold('update', 'aggregate');
    const ended: string[] = [];
    const note = (what: string) => () => void ended.push(what);
    const long = [
      rows().updateMany({}, { $set: { a: 1 } }, manyDocuments),
      rows().aggregate([], manyDocuments).toArray(),
      patient.connection.collection<Row>('rows').updateOne({ _id: 1 }, { $set: { a: 2 } }),
    ];
    for (const one of long) void one.then(note('long'), note('long'));
    await commands['an aggregate']().catch(note('usual'));
    expect(ended).to.deep.equal(['usual']);
    expect(proxy.held).to.be.at.least(3);
    proxy.resume();
    await Promise.all(long);
    await patient.close();
  });
});
