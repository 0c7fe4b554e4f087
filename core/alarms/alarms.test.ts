import { testDatabaseUri } from '../documents/testing/test-database-uri.ts';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import pino from 'pino';
import { alarmModel, type AlarmSubject } from '../documents/alarm.ts';
import { connectDatabase, type Database } from '../documents/connect.ts';
import { createAlarms, type Alarms } from './index.ts';

describe('an alarm', () => {
  const payment: AlarmSubject = { type: 'payment', id: '$10042' };
  const lines: Record<string, unknown>[] = [];
  let database: Database;
  let alarms: Alarms;
  before(async () => {
    const uri = testDatabaseUri(`alarms_${randomUUID().slice(0, 8)}`);
    const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line) as never) });
    database = await connectDatabase(uri, { log });
    await alarmModel(database.connection).createIndexes();
    alarms = createAlarms({ connection: database.connection, log });
  });
  afterEach(async () => {
    lines.length = 0;
    await alarms.close();
    await alarmModel(database.connection).deleteMany({});
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  async function stored() {
    await alarms.close();
    return alarms.list(10);
  }

  it('is one document per kind and subject, with the latest reason and how often it was raised', async () => {
    for (let n = 1; n <= 50; n += 1) alarms.raise('payment_unresolved', payment, `for the ${n}th time`);
    alarms.raise('refund_unresolved', payment, 'a refund');
    const found = await stored();
    expect(found.map(({ kind, count, state, reason }) => [kind, count, state, reason])).to.have.deep.members([
      ['payment_unresolved', 50, 'open', 'for the 50th time'],
      ['refund_unresolved', 1, 'open', 'a refund'],
    ]);
    expect(found.map(({ subject }) => subject)).to.deep.equal([payment, payment]);
  });

  it('is logged at once, each time, with what it means', () => {
    alarms.raise('charged_twice', payment, 'attempt 2', { requestId: 'r-1' });
    expect(lines[0]).to.deep.include({
      alarm: true,
      alarmKind: 'charged_twice',
      subject: 'payment $10042',
      requestId: 'r-1',
      reason: 'attempt 2',
      msg: 'Two attempts of one payment succeeded.',
    });
  });

  it('stays acknowledged when it is raised again, and begins anew where it was resolved', async () => {
    const model = alarmModel(database.connection);
    alarms.raise('charged_twice', payment, 'first');
    await alarms.close();
    await model.updateOne({}, { $set: { state: 'acknowledged' } });
    alarms.raise('charged_twice', payment, 'second');
    const [acknowledged] = await stored();
    expect(acknowledged).to.include({ state: 'acknowledged', count: 2 });
    await alarms.resolve('charged_twice', payment);
    expect(await stored()).to.deep.equal([]);
    expect((await model.findOne().lean())?.expireAt).to.be.instanceOf(Date);
    alarms.raise('charged_twice', payment, 'third');
    const [again] = await stored();
    expect(again).to.include({ state: 'open', count: 1, reason: 'third' }).and.not.have.property('expireAt');
    expect(again!.firstSeenAt.getTime()).to.equal(again!.lastSeenAt.getTime());
  });

  it('waits in memory while the database fails, and is stored by the next one', async () => {
    const { collection } = alarmModel(database.connection);
    const write = collection.bulkWrite.bind(collection);
    collection.bulkWrite = async () => Promise.reject(new Error('no database'));
    try {
      alarms.raise('charged_twice', payment, 'while it was down');
      await alarms.close();
    } finally {
      collection.bulkWrite = write;
    }
    expect(lines.map(({ msg }) => msg)).to.include('alarms could not be stored; they are tried again');
    alarms.raise('charged_twice', payment, 'when it was up');
    expect((await stored()).map(({ count, reason }) => [count, reason])).to.deep.equal([[2, 'when it was up']]);
  });
});
