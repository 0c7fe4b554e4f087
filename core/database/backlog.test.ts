import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { mongo } from 'mongoose';
import { pino } from 'pino';
import { readBacklog, type Backlog } from './backlog.ts';
import { ensureCollections } from './collections.ts';
import { connectDatabase, type Database } from './connect.ts';
import { testDatabaseUri } from './testing/test-database-uri.ts';

const log = pino({ level: 'silent' });
type Profiled = mongo.Document & { readonly ns: string; readonly planSummary?: string; readonly docsExamined?: number };

describe('readBacklog', () => {
  let database: Database;
  before(async () => {
    database = await connectDatabase(testDatabaseUri(`backlog_${randomUUID().slice(0, 13)}`), {
      log,
      patience: 'endless',
    });
    await ensureCollections(database.connection, log);
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  /** Inserts without validation: only the members that the queries read. */
  const insert = async (collection: string, documents: readonly object[]): Promise<void> => {
    const options = { bypassDocumentValidation: true };
    await database.connection.collection(collection).insertMany(
      documents.map((one) => ({ ...one })),
      options,
    );
  };
  const ago = (seconds: number): Date => new Date(Date.now() - 1000 * seconds);
  const queueOf = ({ queues }: Backlog, name: string) => queues.find(({ queue }) => queue === name)!;
  const read = async (): Promise<Backlog> => readBacklog(database.connection, ['one', 'two']);

  it('returns zeros when nothing waits', async () => {
    const { queues, ...others } = await read();
    const nothing = { pending: 0, due: 0, oldestDueSeconds: 0 };
    expect(queues).to.deep.equal(
      ['inbox', 'pings', 'reconcile', 'notifications', 'outbox'].map((queue) => ({ queue, ...nothing })),
    );
    expect(others).to.deep.equal({
      paymentsCreated: 0,
      attemptsOpen: [
        { provider: 'one', count: 0 },
        { provider: 'two', count: 0 },
      ],
      deadLetters: [],
      alarmsOpen: [],
      hostsUp: 0,
    });
  });

  it('counts what waits and what is due, and since when', async () => {
    await insert('inbox', [
      { dueAt: ago(100), adapter: 'one', state: 'waiting' },
      { dueAt: ago(-100), adapter: 'one', state: 'waiting' },
      { pingDueAt: ago(-5), adapter: 'one', state: 'waiting' },
      { adapter: 'one', state: 'dead_letter' },
      { adapter: 'one', state: 'dead_letter' },
      { adapter: 'two', state: 'malformed' },
      { adapter: 'two', state: 'done' },
    ]);
    await insert('notifications', [
      { fresh: true, dueAt: ago(20) },
      { fresh: false, dueAt: ago(3600) },
      { fresh: false, dueAt: ago(-20) },
      { fresh: false },
    ]);
    await insert('paymentRequests', [
      { _id: 1, statusId: 0, nextCheckAt: null, outboxSince: ago(50) },
      {
        _id: 2,
        statusId: 1,
        nextCheckAt: ago(10),
        attempts: [
          { adapter: 'one', outcome: 'failed' },
          { adapter: 'two', outcome: 'open' },
        ],
      },
      { _id: 3, statusId: 1, nextCheckAt: ago(-10), attempts: [{ adapter: 'one', outcome: 'open' }] },
      {
        _id: 4,
        statusId: 2,
        nextCheckAt: null,
        attempts: [
          { adapter: 'one', outcome: 'open' },
          { adapter: 'one', outcome: 'open' },
        ],
      },
    ]);
    await insert('alarms', [
      { kind: 'charged_twice', state: 'open' },
      { kind: 'charged_twice', state: 'open' },
      { kind: 'seen_refused', state: 'acknowledged' },
    ]);
    await insert('hosts', [{ seenAt: ago(1) }, { seenAt: ago(60) }]);

    const backlog = await read();
    const expected = {
      inbox: [2, 1, 100],
      pings: [1, 0, 0],
      reconcile: [2, 1, 10],
      notifications: [3, 2, 3600],
      outbox: [1, 1, 50],
    } as const;
    for (const [name, [pending, due, seconds]] of Object.entries(expected)) {
      const queue = queueOf(backlog, name);
      expect([queue.pending, queue.due], name).to.deep.equal([pending, due]);
      expect(queue.oldestDueSeconds, name).to.be.within(seconds - 30, seconds + 60);
    }
    expect(backlog.paymentsCreated).to.equal(1);
    expect(backlog.attemptsOpen.map(({ count }) => count)).to.deep.equal([2, 1]);
    expect(backlog.deadLetters).to.have.deep.members([
      { provider: 'one', outcome: 'dead_letter', count: 2 },
      { provider: 'two', outcome: 'malformed', count: 1 },
    ]);
    expect(backlog.alarmsOpen).to.deep.equal([{ kind: 'charged_twice', count: 2 }]);
    expect(backlog.hostsUp).to.equal(1);
  });

  it('counts notifications to a failing receiver, but not their age', async () => {
    const [dead, well] = ['dead.example:443', 'well.example:443'];
    const row = { receiver: dead, state: 'waiting', queue: 'spared' };
    await insert('notifications', [
      { ...row, fresh: true, dueAt: ago(90_000) },
      { ...row, fresh: false, dueAt: ago(80_000) },
      { ...row, receiver: well, fresh: true, dueAt: ago(7200) },
    ]);
    const before = queueOf(await read(), 'notifications');
    await insert('endpoints', [{ _id: `7:live:https://${dead}`, receiver: dead, failingSince: ago(95_000) }]);
    const { pending, due, oldestDueSeconds } = queueOf(await read(), 'notifications');
    expect(before.oldestDueSeconds).to.be.within(90_000 - 30, 90_000 + 60);
    expect([pending, due]).to.deep.equal([before.pending, before.due]);
    expect(oldestDueSeconds).to.be.within(7200 - 30, 7200 + 60);
    await database.connection.collection('endpoints').deleteMany({});
    await database.connection.collection('notifications').deleteMany({ queue: 'spared' });
  });

  it('reads hardly any document that is not waiting', async () => {
    const ended = (count: number, more: object) => Array.from({ length: count }, () => more);
    await insert('inbox', ended(3000, { adapter: 'one', state: 'done' }));
    await insert('notifications', ended(3000, { fresh: false, state: 'delivered' }));
    const paid = {
      statusId: 2,
      nextCheckAt: null,
      outboxSince: null,
      attempts: [{ adapter: 'one', outcome: 'succeeded' }],
    };
    await insert(
      'paymentRequests',
      ended(3000, paid).map((one, at) => ({ ...one, _id: 1000 + at })),
    );
    await insert('alarms', ended(3000, { kind: 'seen_refused', state: 'resolved' }));
    const { db } = database.connection;
    await db!.command({ profile: 2 });
    await read();
    await db!.command({ profile: 0 });
    const profiled = await db!.collection<Profiled>('system.profile').find().toArray();
    // Failing endpoints are few, and all are read.
    const asked = profiled.filter(({ ns }) => !/\.(system\.profile|hosts|endpoints)$/.test(ns));
    expect(asked.length).to.be.at.least(9);
    for (const { ns, planSummary, docsExamined = 0 } of asked) {
      expect(planSummary, ns).to.match(/^(IXSCAN|COUNT_SCAN)/);
      expect(docsExamined, ns).to.be.below(10);
    }
  });
});
