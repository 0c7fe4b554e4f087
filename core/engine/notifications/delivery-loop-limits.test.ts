import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { notificationModel } from '../../database/collections/notification.ts';
import { raiseInto } from '../alarms/index.ts';
import { createMetrics } from '../../base/metrics/index.ts';
import { until } from '../../base/testing/until.ts';
import { createDeliveryQueue, type DeliveryQueue } from './delivery-queue.ts';
import { createDeliveryLoop } from './delivery-loop.ts';
import { leaseMarginMs } from './send-notification.ts';
import { createConnections } from './connections.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import { createTargetGuard } from './target-guard.ts';
import { ok, useReceivers } from './testing/receiver.ts';
import {
  current,
  limitsWithHealthy,
  many,
  notification,
  passTime,
  setUp,
  silent,
  testConfig,
  useTestDatabase,
} from './testing/setup.ts';

const day = 24 * 3_600_000;
const worker = 'w1';
const leaseMs = testConfig.timeoutMs + leaseMarginMs;

/** Every host is this one. */
const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

/** Delivers from a queue of which a test has replaced functions. */
function deliverOver(queue: DeliveryQueue, answering: Parameters<typeof limitsWithHealthy>[0] = []) {
  return createDeliveryLoop({
    queue,
    guard: createTargetGuard({
      allowedPrivateNetworks: ['127.0.0.0/8'],
      resolve,
    }),
    connections: createConnections(),
    // No attempt frees its permit because this machine is slow.
    limits: limitsWithHealthy(answering, { perReceiverConcurrency: 2, slowAfterMs: 60_000 }),
    endpoints: { isDisabled: async () => false, recordResult: async () => undefined },
    directDispatch: { take: () => [] },
    schedule: testConfig,
    timeoutMs: testConfig.timeoutMs,
    secrets: () => Promise.resolve({ current }),
    now: () => new Date(),
    random: () => 0,
    raise: raiseInto(silent),
    metrics: createMetrics(),
    log: silent,
  }).deliverDue;
}

describe('deliverDue, many notifications at the same time', () => {
  const db = useTestDatabase();
  const receiver = useReceivers();

  it('sends each once although many workers deliver concurrently', async () => {
    const { url, received } = await receiver(ok);
    const entries = many(url, 60);
    const deliverers = Array.from(
      { length: 4 },
      () => setUp(db.connection, { perReceiverConcurrency: 30 }).notifications,
    );
    await deliverers[0]?.insert(entries);
    const results = await Promise.all(
      deliverers.flatMap((each, at) => [each.deliverDue({ worker: `w${at}` }), each.deliverDue({ worker: `w${at}` })]),
    );
    expect(results.reduce((sum, { delivered }) => sum + delivered, 0)).to.equal(60);
    expect(results.reduce((sum, { lost }) => sum + lost, 0)).to.equal(0);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(ids)
      .to.have.length(60)
      .and.to.have.members(entries.map(({ id }) => id));
  });

  it('sends all in one call, even if attempts end during the next poll', async () => {
    const { url, received } = await receiver(ok);
    await setUp(db.connection).notifications.insert(many(url, 20));
    const queue = createDeliveryQueue(notificationModel(db.connection), leaseMs);
    let open = 0;
    const deliverDue = deliverOver({
      ...queue,
      claim: async (ids, name) => {
        const rows = await queue.claim(ids, name);
        open += rows.length;
        return rows;
      },
      settle: async (...result) => {
        const written = await queue.settle(...result);
        open -= 1;
        return written;
      },
      findDue: async (fresh, except, limit) => {
        const rows = await queue.findDue(fresh, except, limit);
        if (except.receivers.length > 0) await until('all attempts have ended', () => open === 0);
        return rows;
      },
    });
    expect(await deliverDue({ worker })).to.deep.include({ delivered: 20, nextDueAt: null });
    expect(received).to.have.length(20);
  });

  it('keeps to 160 concurrent attempts, even if two calls find different rows at the same time', async () => {
    const claimed: number[] = [];
    // No attempt ends, and frees its permit, before both calls have claimed.
    const held: ServerResponse[] = [];
    const { port } = await receiver((answer) => {
      held.push(answer);
      if (claimed.length >= 2) for (const one of held.splice(0)) one.end('OK');
    });
    const entries = Array.from({ length: 200 }, (_, at) =>
      notification(`http://merchant-${at}.test:${port}/`, { sequence: at + 1, ownerId: at + 1 }),
    );
    await setUp(db.connection).notifications.insert(entries);
    const queue = createDeliveryQueue(notificationModel(db.connection), leaseMs);
    let finds = 0;
    const deliverDue = deliverOver(
      {
        ...queue,
        claim: (ids, name) => {
          claimed.push(ids.length);
          return queue.claim(ids, name);
        },
        findDue: async (fresh, except, limit) => {
          const find = (finds += 1);
          if (find > 2) return queue.findDue(fresh, except, limit);
          const all = await queue.findDue(fresh, except, 200);
          await until('both calls poll', () => finds >= 2);
          return find === 1 ? all.slice(0, 100) : all.slice(100);
        },
      },
      entries,
    );
    const calls = await Promise.all([deliverDue({ worker }), deliverDue({ worker })]);
    expect(calls.reduce((sum, { delivered }) => sum + delivered, 0)).to.equal(200);
    expect(claimed.slice(0, 2)).to.deep.equal([100, 60]);
  });

  it('leaves capacity for other owners, however many receivers one owner names', async () => {
    const held: ServerResponse[] = [];
    const slow = await receiver((answer) => held.push(answer));
    const quick = await receiver(ok);
    const greedy = Array.from({ length: 100 }, (_, at) =>
      notification(`http://merchant-${at}.test:${slow.port}/`, { sequence: at + 1, ownerId: 1 }),
    );
    const other = notification(quick.url, { sequence: 1000, ownerId: 2 });
    await setUp(db.connection).notifications.insert(greedy);
    await passTime(db.connection, 60_000);
    await setUp(db.connection).notifications.insert([other]);
    const stop = new AbortController();
    const deliverDue = deliverOver(createDeliveryQueue(notificationModel(db.connection), leaseMs), greedy);
    const running = deliverDue({ worker, signal: stop.signal, graceMs: 0 });
    try {
      await until('both owners use their permits', () => quick.received.length === 1 && held.length >= 64);
      expect(held).to.have.length(64);
    } finally {
      stop.abort();
      for (const answer of held) answer.end();
      await running;
    }
  });

  it('sends first attempts before retries', async () => {
    const { url, received } = await receiver(ok);
    const { notifications } = setUp(db.connection, { perReceiverConcurrency: 1 });
    await notifications.insert([...many(url, 3, 1), ...many(url, 3, 11)]);
    await notificationModel(db.connection).updateMany(
      { paymentRequestId: { $lt: 10 } },
      { $set: { fresh: false, tries: 1 } },
    );
    await passTime(db.connection, 1000);
    await notifications.deliverDue({ worker });
    const order = received.map(({ headers }) => Number(headers['webhook-id']?.toString().split('-')[0]));
    expect(order.slice(0, 3)).to.have.members([11, 12, 13]);
    expect(order.slice(3)).to.have.members([1, 2, 3]);
  });

  it('skips a slow receiver, with no more concurrent attempts to it than its limit', async () => {
    const held: ServerResponse[] = [];
    const slow = await receiver((answer) => held.push(answer));
    const quick = await receiver(ok);
    const limits = limitsWithHealthy([slow.url, quick.url], { perReceiverConcurrency: 3 });
    const { notifications } = setUp(db.connection, {}, { limits });
    await notifications.insert(many(slow.url, 100, 1));
    await passTime(db.connection, 60_000);
    await notifications.insert(many(quick.url, 5, 1001));
    const running = notifications.deliverDue({ worker, limit: 8 });
    await until('each receiver uses its permits', () => quick.received.length === 5 && held.length >= 3);
    expect(held).to.have.length(3);
    for (const answer of held) answer.end();
    expect(await running).to.deep.include({ delivered: 8 });
    expect(slow.received).to.have.length(3);
  });

  it('sends more concurrently to a receiver that answers quickly, and one at a time once it fails', async () => {
    const held: ServerResponse[] = [];
    const { url, received } = await receiver((answer) => held.push(answer));
    const limits = limitsWithHealthy([url], { perReceiverConcurrency: 40 });
    /** The receiver answers in a millisecond, however long this machine takes to notice. */
    const quickly: DeliveryLimits['begin'] = (target) => {
      const end = limits.begin(target);
      return end && ((result, answer) => end(result, { ...answer, ms: 1 }));
    };
    const parts = { limits: { ...limits, begin: quickly } };
    const { notifications } = setUp(db.connection, { breakerFailures: 1000 }, parts);
    await notifications.insert(many(url, 200));
    const stop = new AbortController();
    const running = notifications.deliverDue({ worker, signal: stop.signal, graceMs: 0 });
    try {
      await until('the first eight attempts are in progress', () => held.length === 8);
      for (const answer of held.splice(0)) answer.end();
      await until('more attempts are in progress', () => held.length > 8);
      // No more than 16 attempts are in progress by now.
      for (const enough = received.length + 20; received.length < enough;) {
        await until('the receiver is called again', () => held.length > 0);
        for (const answer of held.splice(0)) answer.writeHead(503).end();
      }
      for (const answer of held.splice(0)) answer.writeHead(503).end();
      for (let count = 1; count <= 3; count += 1) {
        await until('the receiver is called again', () => held.length > 0);
        expect(held).to.have.length(1);
        held.pop()?.writeHead(503).end();
      }
    } finally {
      stop.abort();
      await running;
    }
  });

  it('delivers although forty new receivers of the same owner hang with older notifications', async () => {
    const held: ServerResponse[] = [];
    const hanging = await receiver((answer) => held.push(answer));
    const quick = await receiver(ok);
    const { notifications } = setUp(db.connection, {}, { resolve });
    const stuck = Array.from({ length: 160 }, (_, at) =>
      notification(`http://merchant-${at % 40}.test:${hanging.port}/`, { paymentRequestId: at + 1 }),
    );
    await notifications.insert(stuck);
    await passTime(db.connection, 60_000);
    await notifications.insert(many(quick.url, 20, 1001));
    const stop = new AbortController();
    const running = notifications.deliverDue({ worker, signal: stop.signal, graceMs: 0 });
    try {
      await until('the quick receiver has all notifications', () => quick.received.length === 20 && held.length >= 40);
      expect(held).to.have.length(40);
    } finally {
      stop.abort();
      await running;
    }
  });

  it('probes receivers that time out one after another, until all are tried', async () => {
    const hanging = await receiver(() => undefined);
    const { notifications } = setUp(db.connection, { timeoutMs: 200 }, { resolve });
    for (let merchant = 0; merchant < 80; merchant += 1)
      await notifications.insert(many(`http://merchant-${merchant}.test:${hanging.port}/`, 3, 3 * merchant + 1));
    // Receivers that timed out wait at most 5 s for the others. A slow machine must not need that long for all of them.
    const realNow = performance.now.bind(performance);
    const began = realNow();
    performance.now = () => began + (realNow() - began) / 10;
    try {
      expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 240 });
    } finally {
      performance.now = realNow;
    }
    const rows = await notificationModel(db.connection).find().sort({ 'attempts.at': 1 }).lean();
    // An owner has 32 attempts in progress, so that some of the second round start next to the last of the first.
    const first = rows.slice(0, 80 + 32).map(({ receiver: host }) => host);
    expect(new Set(first)).to.have.property('size', 80);
  });

  it('finds due notifications while a slow attempt is in progress', async () => {
    const held: ServerResponse[] = [];
    const slow = await receiver((answer) => held.push(answer));
    const quick = await receiver(ok);
    const { notifications } = setUp(db.connection);
    await notifications.insert([notification(slow.url)]);
    expect(notifications.pollSoon()).to.equal(false);
    const running = notifications.deliverDue({ worker });
    await until('the slow receiver is called', () => held.length === 1);
    await notifications.insert([notification(quick.url, { sequence: 2 })]);
    expect(notifications.pollSoon()).to.equal(true);
    await until('the quick receiver has the notification', () => quick.received.length === 1);
    held[0]?.end();
    expect(await running).to.deep.include({ delivered: 2 });
  });

  it('leaves notifications unchanged while their receiver is down, then probes it once', async () => {
    let up = false;
    let time = Date.now();
    const { url, received } = await receiver((answer) => (up ? answer.end() : answer.destroy()));
    const config = { breakerFailures: 5, breakerCoolOffMs: 60_000, perReceiverConcurrency: 3 };
    const { notifications } = setUp(db.connection, config, { now: () => new Date(time) });
    await notifications.insert(many(url, 12));
    await passTime(db.connection, 1000);
    const { failed, nextDueAt } = await notifications.deliverDue({ worker });
    // Attempts in progress when the fifth one fails may still end.
    expect(failed).to.be.within(5, 7);
    // The time when the receiver may be tried again, not when its rows were due.
    expect(nextDueAt!.getTime()).to.be.within(Date.now() + 50_000, Date.now() + 60_000);
    expect(received).to.have.length(failed);
    expect(await notificationModel(db.connection).countDocuments({ tries: 0, fresh: true })).to.equal(12 - failed);

    time += 60_000;
    await passTime(db.connection, 61_000);
    const probed = await notifications.deliverDue({ worker });
    expect(probed).to.deep.include({ failed: 1, delivered: 0 });
    expect(received).to.have.length(failed + 1);

    up = true;
    time += 60_000;
    await passTime(db.connection, day);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 12, failed: 0 });
  });
});
