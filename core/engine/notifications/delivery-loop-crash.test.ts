import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { notificationModel } from '../../database/collections/notification.ts';
import { createMetrics } from '../../base/metrics/index.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { holdTimers } from '../../base/testing/hold-timers.ts';
import { until } from '../../base/testing/until.ts';
import { ok, repeatable, useReceivers } from './testing/receiver.ts';
import {
  current,
  limitsWithHealthy,
  many,
  notification,
  passTime,
  readRow,
  setUp,
  testConfig,
  useTestDatabase,
} from './testing/setup.ts';

const worker = 'w1';

describe('deliverDue, whose worker does not finish', () => {
  const db = useTestDatabase();
  const receiver = useReceivers();

  it('leaves a notification to the next holder if the process was suspended before it could send', async () => {
    const { url, received } = await receiver(ok);
    const realNow = performance.now.bind(performance);
    let heldUpMs = 0;
    performance.now = () => realNow() + heldUpMs;
    const secrets = () => {
      heldUpMs = 16_000;
      return Promise.resolve({ current });
    };
    try {
      const { notifications } = setUp(db.connection, {}, { secrets });
      await notifications.insert([notification(url)]);
      expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 0, lost: 1 });
      expect(received).to.have.length(0);
    } finally {
      performance.now = realNow;
    }
  });

  it('sends again with the same id and bytes when a lease has expired, and does not write the late result', async () => {
    const held: ServerResponse[] = [];
    const { url, received } = await receiver((answer, count) => (count === 1 ? held.push(answer) : answer.end()));
    const slow = setUp(db.connection).notifications;
    const metrics = createMetrics();
    const quick = setUp(db.connection, {}, { metrics }).notifications;
    const entry = notification(url);
    await slow.insert([entry]);
    const late = slow.deliverDue({ worker: 'slow', limit: 1 });
    await until('the first attempt is in progress', () => held.length === 1);
    expect(await quick.deliverDue({ worker: 'quick' })).to.deep.include({ delivered: 0 });
    await passTime(db.connection, testConfig.timeoutMs + 16_000);
    expect(await quick.deliverDue({ worker: 'quick' })).to.deep.include({ delivered: 1 });
    expect(await valueOf(metrics, 'gateway_lease_expiries_total', { queue: 'notifications' })).to.equal(1);
    held[0]?.writeHead(500).end();
    expect(await late).to.deep.include({ failed: 0, lost: 1 });

    const row = await readRow(db.connection, entry.id);
    expect(row).to.deep.include({ state: 'delivered', tries: 1 });
    expect(row.lease.expiries).to.equal(1);
    expect(row.attempts.map(({ status, ms }) => [status, ms === null])).to.deep.equal([
      [null, true],
      [200, false],
    ]);
    expect(received.map(repeatable)[1]).to.deep.equal(received.map(repeatable)[0]);
  });

  it('delivers after the worker was killed with -9: at most once more, with the same id and bytes', async () => {
    const held: ServerResponse[] = [];
    const { url, received } = await receiver((answer, count) => (count === 1 ? held.push(answer) : answer.end()));
    const { notifications } = setUp(db.connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    const child = fork(fileURLToPath(new URL('./testing/worker.js', import.meta.url)), [db.uri, 'doomed']);
    const ended = once(child, 'exit');
    await until('the child’s attempt is in progress', () => held.length === 1);
    child.kill('SIGKILL');
    await ended;

    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 0 });
    expect(await notifications.releaseWorker('another')).to.equal(0);
    expect(await notifications.releaseWorker('doomed')).to.equal(1);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 1 });
    expect(received).to.have.length(2);
    expect(received.map(repeatable)[1]).to.deep.equal(received.map(repeatable)[0]);
    const row = await readRow(db.connection, entry.id);
    expect(row).to.deep.include({ state: 'delivered', tries: 1 });
    expect(row.lease.expiries).to.equal(1);
  });

  it('gives up a notification when worker after worker dies while sending it', async () => {
    const { url, received } = await receiver(ok);
    const { notifications } = setUp(db.connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    const lease = { token: 't', worker: 'dead', claimedAt: new Date(), expiries: 5 };
    await notificationModel(db.connection).updateOne({ _id: entry.id }, { $set: { lease } });
    expect(await notifications.deliverDue({ worker })).to.deep.include({ exhausted: 1 });
    expect(received).to.have.length(0);
  });

  it('drains when the process stops: attempts in progress may end, then they are cut off and due again immediately', async () => {
    const held: ServerResponse[] = [];
    const { url, received } = await receiver((answer, count) => (count <= 2 ? held.push(answer) : answer.end()));
    const limits = limitsWithHealthy([url], { perReceiverConcurrency: 2 });
    const { notifications } = setUp(db.connection, {}, { limits });
    await notifications.insert(many(url, 3));
    const stop = new AbortController();
    const running = notifications.deliverDue({ worker, signal: stop.signal });
    await until('two attempts are in progress', () => held.length === 2);
    const grace = holdTimers();
    stop.abort();
    grace.restore();
    held[0]?.end();
    const { collection } = notificationModel(db.connection);
    await until('one attempt has ended', async () => (await collection.countDocuments({ state: 'delivered' })) === 1);
    grace.endAll();
    expect(await running).to.deep.include({ delivered: 1, cut: 1 });
    expect(received).to.have.length(2);
    expect(await notifications.deliverDue({ worker, signal: stop.signal })).to.deep.include({ delivered: 0 });

    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 2 });
    const rows = await notificationModel(db.connection).find({ state: 'delivered' }).lean();
    expect(rows.map(({ tries }) => tries)).to.deep.equal([1, 1, 1]);
    expect(rows.flatMap(({ attempts }) => attempts).map(({ error }) => error)).to.include(
      'cut off because the worker stops',
    );
  });

  it('sends once more if a resend was requested during an attempt', async () => {
    const held: ServerResponse[] = [];
    const { url, received } = await receiver((answer, count) => (count === 1 ? held.push(answer) : answer.end()));
    const { notifications } = setUp(db.connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    const running = notifications.deliverDue({ worker, limit: 1 });
    await until('the first attempt is in progress', () => held.length === 1);
    const asked = await notifications.resend({ ownerId: 7, environment: 'test', id: entry.id });
    expect(asked).to.deep.include({ state: 'waiting', nextAttemptAt: null });
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 0 });
    held[0]?.writeHead(500).end();
    await running;
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 1 });
    expect(received).to.have.length(2);
    expect(await readRow(db.connection, entry.id)).to.deep.include({ state: 'delivered', tries: 1, round: 2 });
  });
});
