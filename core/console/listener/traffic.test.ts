import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { ensureCollections } from '../../database/collections.ts';
import { connectDatabase, type Database } from '../../database/connect.ts';
import { testDatabaseUri } from '../../database/testing/test-database-uri.ts';
import { trafficModel } from '../../database/collections/traffic.ts';
import { until } from '../../base/testing/until.ts';
import { MINUTE } from '../../base/async/time.ts';
import { recordTraffic, readTraffic } from './traffic.ts';

const log = pino({ level: 'silent' });
const at = new Date('2026-01-02T03:04:30Z');
const minute = new Date('2026-01-02T03:04:00Z');

describe('recordTraffic', () => {
  let database: Database;
  before(async () => {
    const uri = testDatabaseUri(`traffic_${randomUUID().slice(0, 13)}`);
    database = await connectDatabase(uri, { log, patience: 'endless' });
    await ensureCollections(database.connection, log);
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  it('records the age of the oldest due item of each queue per minute, over all hosts', async () => {
    const { connection } = database;
    const options = { bypassDocumentValidation: true };
    await connection.collection('inbox').insertOne({ dueAt: new Date(Date.now() - 10 * MINUTE) }, options);
    const recorder = recordTraffic({
      connection,
      host: 'one',
      gather: async () => ({ present: [], past: [] }),
      metrics: { snapshot: async () => '[]' },
      now: () => at,
      log,
      everyMs: 20,
    });
    const model = trafficModel(connection);
    const isRecorded = async (): Promise<boolean> => (await model.countDocuments({ 'ages.inbox': { $gte: 600 } })) > 0;
    await until('the age is recorded', isRecorded);
    recorder.stop();
    // One host saw smaller ages, the other one recorded none.
    await model.insertMany([
      { _id: 'two', at: minute, counts: { 'deliveries|delivered': 3 }, ages: { inbox: 1, outbox: 7 } },
      { _id: 'three', at: minute, counts: { 'deliveries|delivered': 4 } },
    ]);
    const { minutes } = await readTraffic(connection, new Date(minute.getTime() + MINUTE));
    const last = minutes.at(-1)!;
    expect(last.at).to.deep.equal(minute);
    expect(last.counts).to.deep.equal({ 'deliveries|delivered': 7 });
    expect(last.ages?.['inbox']).to.be.within(600, 900);
    expect([last.ages?.['outbox'], last.ages?.['reconcile']]).to.deep.equal([7, 0]);
    expect(minutes[0]?.ages).to.deep.equal({});
  });
});
