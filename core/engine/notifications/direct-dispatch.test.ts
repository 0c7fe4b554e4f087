import { expect } from 'chai';
import { describe, it } from 'mocha';
import { mongo } from 'mongoose';
import { until } from '../../base/testing/until.ts';
import type { DeliverDue } from './delivery-run.ts';
import { notificationModel } from '../../database/collections/notification.ts';
import { openTransactions } from '../../database/transaction.ts';
import { ok, useReceivers, type Received } from './testing/receiver.ts';
import { limitsWithHealthy, notification, readRow, setUp, testConfig, useTestDatabase } from './testing/setup.ts';
import type { NewNotification } from './new-notification.ts';
import type { Inserted } from './notifications.ts';

const worker = 'worker-1';
const idsOf = (received: readonly Received[]) => received.map(({ headers }) => headers['webhook-id']);

describe('insertWith, in a worker that delivers', () => {
  const db = useTestDatabase();
  const receiver = useReceivers();

  /** A process that delivers, and how often it was asked to start. */
  function delivering(url: string) {
    let told = 0;
    let begun = 0;
    const limits = limitsWithHealthy([url]);
    const { notifications } = setUp(db.connection, undefined, {
      limits,
      notifyWorkers: () => void (told += 1),
      workHere: () => void (begun += 1),
    });
    const deliver = async (more: Partial<DeliverDue> = {}) => notifications.deliverDue({ worker, ...more });
    /** In a transaction that is committed, unless `fails`. */
    async function insert(entries: readonly NewNotification[], fails = false): Promise<void> {
      const transactions = openTransactions(db.connection);
      try {
        const at = new Date();
        let part: Inserted | undefined;
        await transactions
          .run(async (session) => {
            part = await notifications.insertWith(entries, at, session);
            if (fails) throw new Error('another part of the transaction fails');
          })
          .then(
            () => part!.stored(),
            (error: unknown) => part!.abandoned(error),
          );
      } finally {
        await transactions.end();
      }
    }
    return { notifications, limits, insert, deliver, told: () => told, begun: () => begun };
  }

  it('stores notifications under a lease of its own, and sends them without a poll', async () => {
    const { url, received } = await receiver(ok);
    const { insert, deliver, told, begun } = delivering(url);
    const entry = notification(url);
    const unseen = notification(url, { paymentRequestId: 7 });
    await insert([entry]);
    expect((await readRow(db.connection, entry.id)).lease).to.include({ worker, expiries: 0 });
    expect([begun(), told()]).to.deep.equal([1, 0]);
    await setUp(db.connection).notifications.insert([unseen]);

    expect(await deliver()).to.deep.include({ delivered: 1, nextDueAt: undefined });
    expect(idsOf(received)).to.deep.equal([entry.id]);
    expect(await readRow(db.connection, entry.id)).to.deep.include({ state: 'delivered', tries: 1 });
    // A worker that is woken up for the other one polls for all that is due.
    expect(await deliver()).to.include({ delivered: 1, nextDueAt: null });
  });

  it('leaves notifications to the next poll if there is no capacity for them', async () => {
    const { url, received } = await receiver(ok);
    const { insert, deliver, told, begun } = delivering(url);
    const entries = Array.from({ length: testConfig.perReceiverConcurrency + 3 }, (_, at) =>
      notification(url, { sequence: at + 1 }),
    );
    await insert(entries);
    const claimed = await notificationModel(db.connection).countDocuments({ 'lease.worker': worker });
    expect([claimed, begun(), told()]).to.deep.equal([testConfig.perReceiverConcurrency, 1, 1]);
    expect((await deliver()).delivered).to.equal(entries.length);
    expect(idsOf(received)).to.have.members(entries.map(({ id }) => id));
  });

  it('has notifications sent by a call in progress', async () => {
    let answerFirst = (): unknown => undefined;
    const { url, received } = await receiver((answer, count) => {
      if (count === 1) answerFirst = () => answer.end('OK');
      else answer.end('OK');
    });
    const { insert, deliver, begun } = delivering(url);
    const [one, other] = [notification(url), notification(url, { sequence: 2 })];
    await insert([one]);
    const run = deliver();
    await insert([other]);
    expect(begun()).to.equal(1);
    await until('the second one is sent while the first is in progress', () => received.length === 2);
    answerFirst();
    expect((await run).delivered).to.equal(2);
  });

  it('frees the permits if the transaction is rolled back', async () => {
    const { url, received } = await receiver(ok);
    const { insert, limits, deliver, begun } = delivering(url);
    const free = limits.free();
    await insert([notification(url)], true);
    expect([limits.free(), begun(), received.length]).to.deep.equal([free, 0, 0]);
    expect(await deliver()).to.include({ delivered: 0 });
  });

  it('makes notifications due again if it is unknown whether the transaction was committed', async () => {
    const { url, received } = await receiver(ok);
    const { notifications, deliver } = delivering(url);
    const transactions = openTransactions(db.connection);
    let part: Inserted | undefined;
    await transactions.run(async (session) => {
      part = await notifications.insertWith([notification(url)], new Date(), session);
    });
    await transactions.end();
    // It was committed, but the answer to the commit was lost.
    part!.abandoned(new mongo.MongoNetworkError('the connection was closed'));
    expect([(await deliver()).delivered, received.length]).to.deep.equal([1, 1]);
  });

  it('makes notifications due immediately for other workers if this process closes first, without using up an attempt', async () => {
    const { url, received } = await receiver(ok);
    const { notifications, insert } = delivering(url);
    const entry = notification(url);
    await insert([entry]);
    await notifications.close();
    expect(await readRow(db.connection, entry.id)).to.deep.include({ state: 'waiting', tries: 0, attempts: [] });
    const { delivered } = await setUp(db.connection).notifications.deliverDue({ worker: 'worker-2' });
    expect([delivered, received.length]).to.deep.equal([1, 1]);
  });

  it('leaves notifications to other workers once this process has died', async () => {
    const { url, received } = await receiver(ok);
    const { insert } = delivering(url);
    await insert([notification(url)]);
    const { notifications: living } = setUp(db.connection);
    expect((await living.deliverDue({ worker: 'worker-2' })).delivered).to.equal(0);
    await living.releaseWorker(worker);
    expect((await living.deliverDue({ worker: 'worker-2' })).delivered).to.equal(1);
    expect(received).to.have.length(1);
  });
});
