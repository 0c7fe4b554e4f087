import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { until } from '../../base/testing/until.ts';
import { ensureCollections } from '../../database/collections.ts';
import { refusedCallbacksModel } from '../../database/collections/refused-callbacks.ts';
import { connectDatabase, type Database } from '../../database/connect.ts';
import { testDatabaseUri } from '../../database/testing/test-database-uri.ts';
import { createRefusalRecorder, listRefused, type RefusedCallback } from './refused-list.ts';

const silent = pino({ level: 'silent' });
const forged: RefusedCallback = {
  adapter: 'provider-1',
  reason: 'proof (the signature does not match)',
  route: 'fake',
  remoteAddress: '192.0.2.7',
  at: new Date(),
  raw: { query: '', body: Buffer.from('{"reference":"GW-10042-1","card":"4111111111111111"}') },
};

describe('the list of refused callbacks', () => {
  let database: Database;
  before(async () => {
    const uri = `${testDatabaseUri(`refused_${randomUUID().slice(0, 13)}`)}&monitorCommands=true`;
    database = await connectDatabase(uri, { log: silent, patience: 'endless' });
    await ensureCollections(database.connection, silent, [refusedCallbacksModel]);
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });
  afterEach(async () => void (await refusedCallbacksModel(database.connection).deleteMany()));

  const recorder = (everyMs = 60_000, log = silent) =>
    createRefusalRecorder({ connection: database.connection, now: () => new Date(), log, everyMs });

  it('says how many, when, from which network, about which payment and why, and keeps nothing of the message', async () => {
    const list = recorder();
    list.record(forged);
    list.record({ ...forged, remoteAddress: '192.0.2.8' });
    list.record({ ...forged, adapter: 'provider-2', remoteAddress: '2001:db8::1' });
    await list.close();
    const { at, reason } = forged;
    const common = { reason, route: 'fake', firstAt: at, lastAt: at, payments: [10_042], unknownPaymentIds: [10_042] };
    expect(await listRefused(database.connection, 'provider-1')).to.deep.equal([
      { adapter: 'provider-1', network: '192.0.2.0/24', count: 2, ...common },
    ]);
    expect(await listRefused(database.connection)).to.have.lengthOf(2);
    const stored = JSON.stringify(await refusedCallbacksModel(database.connection).find().lean());
    expect(stored).not.to.contain('4111').and.not.to.contain('192.0.2.7');
  });

  it('costs no write for each callback: a flood is one write', async () => {
    const writes: string[] = [];
    const client = database.connection.getClient();
    const onCommand = ({ commandName }: { readonly commandName: string }): void => {
      if (['insert', 'update', 'findAndModify'].includes(commandName)) writes.push(commandName);
    };
    client.on('commandStarted', onCommand);
    const list = recorder();
    for (let n = 0; n < 5000; n += 1) list.record({ ...forged, remoteAddress: `198.51.${n % 250}.1` });
    await list.close();
    client.off('commandStarted', onCommand);
    expect(writes).to.deep.equal(['update']);
    const found = await listRefused(database.connection);
    expect(found.reduce((sum, { count }) => sum + count, 0)).to.equal(5000);
    expect(found).to.have.lengthOf.at.most(21);
  });

  it('adds the counts of several processes, without waiting to be closed', async () => {
    const processes = Array.from({ length: 4 }, () => recorder(5));
    for (const list of processes) for (let n = 0; n < 3; n += 1) list.record(forged);
    await until('all are counted', async () => (await listRefused(database.connection))[0]?.count === 12);
    await Promise.all(processes.map(async (list) => list.close()));
    expect((await listRefused(database.connection))[0]?.count).to.equal(12);
  });
});
