import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { mongo } from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { notificationModel } from '../../database/collections/notification.ts';
import { createMetrics } from '../../base/metrics/index.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { followServerClock } from '../../database/server-clock.ts';
import { withWrongClock } from '../../base/testing/wrong-clock.ts';
import { HOUR } from '../../base/async/time.ts';
import { endAfterHead } from './testing/end-after-head.ts';
import { ok, startReceiver, repeatable, useReceivers } from './testing/receiver.ts';
import type { Received } from './testing/receiver.ts';
import {
  current,
  notification,
  passTime,
  previous,
  readRow,
  setUp,
  testConfig,
  useTestDatabase,
} from './testing/setup.ts';

const day = 24 * 3_600_000;
const worker = 'w1';

describe('deliverDue', () => {
  const db = useTestDatabase();
  const receiver = useReceivers();

  it('delivers a notification once, signed so that the public standardwebhooks package verifies it', async () => {
    const { url, received } = await receiver(ok);
    const { notifications } = setUp(db.connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 1, failed: 0, nextDueAt: null });
    await notifications.deliverDue({ worker });

    expect(received).to.have.length(1);
    const [{ headers, body }] = received as [Received];
    expect(body.toString()).to.equal(entry.body);
    expect(headers['webhook-id']).to.equal(entry.id);
    expect(headers['x-webhook-signature']).to.equal(createHmac('sha512', current).update(entry.body).digest('hex'));
    expect(headers).to.not.have.property('x-webhook-signature-previous');
    new Webhook(current).verify(body, headers as Record<string, string>);

    const row = await readRow(db.connection, entry.id);
    expect(row).to.deep.include({ state: 'delivered', tries: 1 }).and.to.not.have.any.keys('dueAt', 'claim');
    expect(row.attempts).to.have.length(1);
    expect(row.attempts[0]).to.deep.include({ status: 200, error: null });
    expect(row.attempts[0]?.ms).to.be.a('number');
  });

  it('signs with both secrets after a rotation', async () => {
    const { url, received } = await receiver(ok);
    const owners: number[] = [];
    const secrets = (ownerId: number) => {
      owners.push(ownerId);
      return Promise.resolve({ current, previous });
    };
    const { notifications } = setUp(db.connection, {}, { secrets });
    await notifications.insert([notification(url)]);
    await notifications.deliverDue({ worker });
    const [{ headers, body }] = received as [Received];
    for (const secret of [current, previous]) new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(headers['x-webhook-signature-previous']).to.equal(createHmac('sha512', previous).update(body).digest('hex'));
    expect(owners).to.deep.equal([7]);
  });

  it('retries by the schedule with the same bytes each time, and gives up after the last attempt', async () => {
    const { url, received } = await receiver((answer) => answer.writeHead(500).end());
    const { notifications, lines } = setUp(db.connection, {}, { random: () => 0.5 });
    const entry = notification(url);
    await notifications.insert([entry]);
    for (const [tries, seconds] of [...testConfig.attemptDelaysSeconds.entries()].slice(1)) {
      const before = Date.now();
      const { failed, nextDueAt } = await notifications.deliverDue({ worker });
      expect(failed).to.equal(1);
      const wanted = seconds * 1000 + Math.min(seconds * 50, 900_000);
      expect(nextDueAt?.getTime()).to.be.within(before + wanted - 5, Date.now() + wanted + 5);
      expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 0, nextDueAt });
      expect(await readRow(db.connection, entry.id)).to.deep.include({ state: 'waiting', tries });
      await passTime(db.connection, wanted + 1000);
    }
    expect(lines.some(({ alarm }) => alarm)).to.equal(false);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ exhausted: 1, nextDueAt: null });
    expect(lines.find(({ alarm }) => alarm)).to.include({
      alarmKind: 'notifications_exhausted',
      subject: 'owner 7 (test)',
    });
    const row = await readRow(db.connection, entry.id);
    expect(row).to.deep.include({ state: 'exhausted', tries: 10 });
    expect(row.attempts.map(({ status }) => status)).to.deep.equal(Array.from({ length: 10 }, () => 500));
    expect(received).to.have.length(10);
    expect(new Set(received.map((request) => JSON.stringify(repeatable(request))))).to.have.property('size', 1);
  });

  it('counts attempts by their outcome, and observes how long the first one waited', async () => {
    let status = 500;
    const { url } = await receiver((answer) => answer.writeHead(status).end());
    const metrics = createMetrics();
    const { notifications } = setUp(db.connection, { attemptDelaysSeconds: [0, 1, 1] }, { metrics });
    const counted = async (outcome: string) =>
      valueOf(metrics, 'gateway_notification_deliveries_total', { mode: 'test', outcome });
    await notifications.insert([
      notification(url),
      notification(url, { sequence: 2, createdAt: new Date(Date.now() - 70_000) }),
    ]);
    for (const _ of testConfig.attemptDelaysSeconds.slice(0, 3)) {
      await notifications.deliverDue({ worker });
      await passTime(db.connection, 3000);
    }
    status = 200;
    await notifications.insert([notification(url, { sequence: 3 })]);
    await notifications.deliverDue({ worker });
    expect([await counted('failed'), await counted('exhausted'), await counted('delivered')]).to.deep.equal([4, 2, 1]);
    const lag = 'gateway_notification_first_attempt_lag_seconds';
    expect(await valueOf(metrics, `${lag}_count`)).to.equal(3);
    expect(await valueOf(metrics, `${lag}_bucket`, { le: '60' })).to.equal(2);
  });

  it('waits as long as the receiver asks, and at least as long as the schedule says', async () => {
    let retryAfter = '3600';
    const { url } = await receiver((answer) => answer.writeHead(429, { 'retry-after': retryAfter }).end());
    const { notifications } = setUp(db.connection);
    await notifications.insert([notification(url)]);
    const expectDueIn = async (waitMs: number): Promise<void> => {
      const before = Date.now();
      const { nextDueAt } = await notifications.deliverDue({ worker });
      expect(nextDueAt?.getTime()).to.be.within(before + waitMs, Date.now() + waitMs);
    };
    await expectDueIn(3_600_000);
    await passTime(db.connection, day);
    retryAfter = '1';
    await expectDueIn(300_000);
  });

  it('waits at least a minute after a 429 and after a timeout', async () => {
    for (const answer of [(given: ServerResponse) => given.writeHead(429).end(), () => undefined]) {
      const { url } = await receiver(answer);
      const { notifications } = setUp(db.connection, { timeoutMs: 500 });
      await notifications.insert([notification(url)]);
      const before = Date.now();
      const { failed, nextDueAt } = await notifications.deliverDue({ worker });
      expect(failed).to.equal(1);
      expect(nextDueAt?.getTime()).to.be.within(before + 60_000, Date.now() + 60_000);
      await notificationModel(db.connection).deleteMany({});
    }
  });

  for (const [who, made, sent] of [
    ['created by a process whose clock is an hour ahead', HOUR, 0],
    ['created by a process whose clock is an hour behind', -HOUR, 0],
    ['sent by a worker whose clock is an hour ahead', 0, HOUR],
    ['sent by a worker whose clock is an hour behind', 0, -HOUR],
  ] as const) {
    it(`delivers immediately, and retries in time, a notification ${who}`, async () => {
      const { url, received } = await receiver((answer, count) => answer.writeHead(count === 1 ? 503 : 200).end());
      const clock = await followServerClock(db.connection);
      const { notifications } = setUp(db.connection, {}, { now: clock.now });
      await withWrongClock(made, async () => notifications.insert([notification(url)]));
      const deliver = async () => withWrongClock(sent, async () => notifications.deliverDue({ worker }));
      expect(await deliver()).to.deep.include({ failed: 1 });
      expect(await deliver()).to.deep.include({ failed: 0, delivered: 0 });
      await passTime(db.connection, 6000);
      expect(await deliver()).to.deep.include({ delivered: 1 });
      expect(received).to.have.length(2);
      clock.stop();
    });
  }

  it('delivers when the receiver is up again', async () => {
    const { url, received } = await receiver((answer, count) => answer.writeHead(count === 1 ? 503 : 204).end());
    const { notifications } = setUp(db.connection);
    await notifications.insert([notification(url)]);
    await notifications.deliverDue({ worker });
    await passTime(db.connection, 6000);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 1 });
    expect(received).to.have.length(2);
  });

  it('follows no redirect', async () => {
    const target = await receiver(ok);
    const { url } = await receiver((answer) => answer.writeHead(307, { location: target.url }).end());
    const { notifications } = setUp(db.connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 1 });
    expect(target.received).to.have.length(0);
    expect((await readRow(db.connection, entry.id)).attempts[0]).to.deep.include({ status: 307 });
  });

  it('stops after a 410', async () => {
    const { url, received } = await receiver((answer) => answer.writeHead(410).end());
    const { notifications } = setUp(db.connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ gone: 1, nextDueAt: null });
    await passTime(db.connection, day);
    await notifications.deliverDue({ worker });
    expect(received).to.have.length(1);
    expect(await readRow(db.connection, entry.id)).to.deep.include({ state: 'gone' });
  });

  it('records WH002 for a receiver that is down, and for one that sends its answer byte by byte', async () => {
    const slow = await receiver((answer) => {
      const drip = setInterval(() => answer.write('.'), 20);
      answer.on('close', () => clearInterval(drip));
    });
    const down = await startReceiver(ok);
    await down.close();
    const { notifications } = setUp(db.connection, { timeoutMs: 200 });
    const entries = [notification(down.url), notification(slow.url, { sequence: 2 })] as const;
    await notifications.insert(entries.slice(0, 1));
    expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 1 });
    // A new process polls immediately. One that has just polled rests first, and its timers are held here.
    const { notifications: others } = setUp(db.connection, { timeoutMs: 200 });
    await others.insert(entries.slice(1));
    const dripped = await endAfterHead(async () => others.deliverDue({ worker, limit: 1 }));
    expect(dripped).to.deep.include({ failed: 1 });
    const [first, second] = await Promise.all(
      entries.map(async ({ id }) => (await readRow(db.connection, id)).attempts[0]),
    );
    expect(first).to.deep.include({ status: null, code: 'WH002', error: 'the connection failed (ECONNREFUSED)' });
    expect(second).to.deep.include({ status: 200, code: 'WH002', error: 'no complete answer within 0.2 s' });
  });

  it('never sends to an address that is not public', async () => {
    const { url, received } = await receiver(ok);
    const { notifications } = setUp(db.connection, { allowedPrivateNetworks: [] });
    const entry = notification(url);
    await notifications.insert([entry]);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 1 });
    expect(received).to.have.length(0);
    const { attempts } = await readRow(db.connection, entry.id);
    expect(attempts[0]).to.deep.include({ status: null, error: 'the host has no public address' });
    expect(attempts[0]).to.not.have.property('code');
  });

  it('raises an alarm and waits if a notification cannot be signed, without using up an attempt', async () => {
    const { url, received } = await receiver(ok);
    let isWrong = true;
    const secrets = () => (isWrong ? Promise.reject(new Error('wrong encryption key')) : Promise.resolve({ current }));
    const { notifications, lines } = setUp(db.connection, { attemptDelaysSeconds: [0, 5] }, { secrets });
    const entry = notification(url);
    await notifications.insert([entry]);
    for (let time = 0; time < 3; time += 1) {
      expect(await notifications.deliverDue({ worker })).to.deep.include({ unsigned: 1, failed: 0, exhausted: 0 });
      await passTime(db.connection, 60_000);
    }
    expect(received).to.have.length(0);
    expect(await readRow(db.connection, entry.id)).to.deep.include({ state: 'waiting', tries: 0, attempts: [] });
    expect(lines).to.have.length(3);
    expect(lines[0]).to.include({ alarmKind: 'notification_unsigned', subject: 'owner 7 (test)' });
    isWrong = false;
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 1 });
  });

  it('waits a second, without an alarm, if the database does not answer for the secret', async () => {
    const { url, received } = await receiver(ok);
    let isAway = true;
    const secrets = () => (isAway ? Promise.reject(new mongo.MongoNetworkError('away')) : Promise.resolve({ current }));
    const { notifications, lines } = setUp(db.connection, {}, { secrets });
    await notifications.insert([notification(url)]);
    const { unsigned, nextDueAt } = await notifications.deliverDue({ worker });
    expect(unsigned).to.equal(1);
    expect(nextDueAt!.getTime()).to.be.at.most(Date.now() + 1000);
    expect(lines.filter(({ alarm }) => alarm === true)).to.deep.equal([]);
    isAway = false;
    await passTime(db.connection, 1000);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 1 });
    expect(received).to.have.length(1);
  });

  it('logs one line per attempt, without URL, secret or body', async () => {
    const { url, port } = await receiver((answer, count) => answer.writeHead(count === 1 ? 500 : 200).end());
    const { notifications, lines } = setUp(db.connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    await notifications.deliverDue({ worker });
    await passTime(db.connection, 6000);
    await notifications.deliverDue({ worker });
    const { id: notificationId, requestId, paymentRequestId } = entry;
    const about = { notificationId, requestId, paymentRequestId, host: `127.0.0.1:${port}` };
    expect(lines).to.have.length(2);
    expect(lines[0]).to.deep.include({ ...about, attempt: 1, outcome: 'failed', status: 500 });
    expect(lines[1]).to.deep.include({ ...about, attempt: 2, outcome: 'delivered', status: 200 });
    for (const secret of ['tenant', 'whsec', 'recipientName']) expect(JSON.stringify(lines)).to.not.contain(secret);
  });
});
