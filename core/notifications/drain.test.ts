import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { notificationModel } from '../documents/notification.ts';
import { createBreaker } from './breaker.ts';
import { createDrain } from './drain.ts';
import { createGuard } from './guard.ts';
import { createLeases } from './leases.ts';
import type { Leases } from './leases.ts';
import { startReceiver, until } from './test-receiver.ts';
import type { Answer, Received, Receiver } from './test-receiver.ts';
import {
  connectTestDatabase,
  current,
  notification,
  passTime,
  previous,
  readRow,
  setUp,
  testConfig,
} from './test-setup.ts';

const day = 24 * 3_600_000;
const worker = 'w1';
const ok: Answer = (answer) => answer.end('OK');

/** What a receiver can tell a repetition by. */
function told({ headers, body }: Received) {
  return { id: headers['webhook-id'], body: body.toString(), signature: headers['x-webhook-signature'] };
}

/** Delivers over leases that a test has laid hands on. */
function drainOver(leases: Leases) {
  return createDrain({
    leases,
    guard: createGuard({
      allowedPrivateNetworks: ['127.0.0.0/8'],
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    }),
    breaker: createBreaker({ failures: 20, coolOffMs: 1000, now: () => new Date() }),
    schedule: testConfig,
    timeoutMs: 5000,
    perReceiverConcurrency: 2,
    secrets: () => Promise.resolve({ current }),
    now: () => new Date(),
    random: () => 0,
    log: pino({ level: 'silent' }),
  });
}

describe('notifications, delivered', () => {
  let connection: Connection;
  const receivers: Receiver[] = [];
  before(async () => {
    connection = await connectTestDatabase();
  });
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
    await notificationModel(connection).deleteMany({});
  });
  after(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  async function receiver(answer: Answer): Promise<Receiver> {
    const started = await startReceiver(answer);
    receivers.push(started);
    return started;
  }

  function many(url: string, count: number, first = 1) {
    return Array.from({ length: count }, (_, at) => notification(url, { paymentRequestId: first + at }));
  }

  it('arrive once, signed so that the public standardwebhooks package verifies them', async () => {
    const { url, received } = await receiver(ok);
    const { notifications } = setUp(connection);
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

    const row = await readRow(connection, entry.id);
    expect(row).to.deep.include({ state: 'delivered', tries: 1 }).and.to.not.have.any.keys('dueAt', 'claim');
    expect(row.attempts).to.have.length(1);
    expect(row.attempts[0]).to.deep.include({ status: 200, error: null });
    expect(row.attempts[0]?.ms).to.be.a('number');
  });

  it('carry the signatures of both secrets after a rotation', async () => {
    const { url, received } = await receiver(ok);
    const owners: number[] = [];
    const secrets = (ownerId: number) => {
      owners.push(ownerId);
      return Promise.resolve({ current, previous });
    };
    const { notifications } = setUp(connection, {}, { secrets });
    await notifications.insert([notification(url)]);
    await notifications.deliverDue({ worker });
    const [{ headers, body }] = received as [Received];
    for (const secret of [current, previous]) new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(headers['x-webhook-signature-previous']).to.equal(createHmac('sha512', previous).update(body).digest('hex'));
    expect(owners).to.deep.equal([7]);
  });

  it('are tried again by the schedule, the same bytes each time, and end exhausted', async () => {
    const { url, received } = await receiver((answer) => answer.writeHead(500).end());
    const { notifications } = setUp(connection, {}, { random: () => 0.5 });
    const entry = notification(url);
    await notifications.insert([entry]);
    for (const [tries, seconds] of [...testConfig.attemptDelaysSeconds.entries()].slice(1)) {
      const before = Date.now();
      const { failed, nextDueAt } = await notifications.deliverDue({ worker });
      expect(failed).to.equal(1);
      const wanted = seconds * 1000 * 1.05;
      expect(nextDueAt?.getTime()).to.be.within(before + wanted - 5, Date.now() + wanted + 5);
      expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 0, nextDueAt });
      expect(await readRow(connection, entry.id)).to.deep.include({ state: 'waiting', tries });
      await passTime(connection, wanted + 1000);
    }
    expect(await notifications.deliverDue({ worker })).to.deep.include({ exhausted: 1, nextDueAt: null });
    const row = await readRow(connection, entry.id);
    expect(row).to.deep.include({ state: 'exhausted', tries: 10 });
    expect(row.attempts.map(({ status }) => status)).to.deep.equal(Array.from({ length: 10 }, () => 500));
    expect(received).to.have.length(10);
    expect(new Set(received.map((request) => JSON.stringify(told(request))))).to.have.property('size', 1);
  });

  it('wait for as long as the receiver asks, and no shorter than the schedule', async () => {
    let wish = '3600';
    const { url } = await receiver((answer) => answer.writeHead(429, { 'retry-after': wish }).end());
    const { notifications } = setUp(connection);
    await notifications.insert([notification(url)]);
    const first = await notifications.deliverDue({ worker });
    expect(first.nextDueAt?.getTime()).to.be.closeTo(Date.now() + 3_600_000, 2000);
    await passTime(connection, day);
    wish = '1';
    const second = await notifications.deliverDue({ worker });
    expect(second.nextDueAt?.getTime()).to.be.closeTo(Date.now() + 300_000, 2000);
  });

  it('arrive when the receiver is up again', async () => {
    const { url, received } = await receiver((answer, count) => answer.writeHead(count === 1 ? 503 : 204).end());
    const { notifications } = setUp(connection);
    await notifications.insert([notification(url)]);
    await notifications.deliverDue({ worker });
    await passTime(connection, 6000);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 1 });
    expect(received).to.have.length(2);
  });

  it('follow no redirect', async () => {
    const target = await receiver(ok);
    const { url } = await receiver((answer) => answer.writeHead(307, { location: target.url }).end());
    const { notifications } = setUp(connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 1 });
    expect(target.received).to.have.length(0);
    expect((await readRow(connection, entry.id)).attempts[0]).to.deep.include({ status: 307 });
  });

  it('stop at 410', async () => {
    const { url, received } = await receiver((answer) => answer.writeHead(410).end());
    const { notifications } = setUp(connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ gone: 1, nextDueAt: null });
    await passTime(connection, day);
    await notifications.deliverDue({ worker });
    expect(received).to.have.length(1);
    expect(await readRow(connection, entry.id)).to.deep.include({ state: 'gone' });
  });

  it('record WH002 for a receiver that is down, and for one that drips', async () => {
    const down = await startReceiver(ok);
    await down.close();
    const slow = await receiver((answer) => {
      const drip = setInterval(() => answer.write('.'), 20);
      answer.on('close', () => clearInterval(drip));
    });
    const { notifications } = setUp(connection, { timeoutMs: 200 });
    const entries = [notification(down.url), notification(slow.url, { sequence: 2 })] as const;
    await notifications.insert(entries);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 2 });
    const [first, second] = await Promise.all(
      entries.map(async ({ id }) => (await readRow(connection, id)).attempts[0]),
    );
    expect(first).to.deep.include({ status: null, code: 'WH002', error: 'the connection failed (ECONNREFUSED)' });
    expect(second).to.deep.include({ status: 200, code: 'WH002', error: 'no complete answer within 0.2 s' });
  });

  it('never go to an address that is not public', async () => {
    const { url, received } = await receiver(ok);
    const { notifications } = setUp(connection, { allowedPrivateNetworks: [] });
    const entry = notification(url);
    await notifications.insert([entry]);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 1 });
    expect(received).to.have.length(0);
    const { attempts } = await readRow(connection, entry.id);
    expect(attempts[0]).to.deep.include({ status: null, error: 'the host has no public address' });
    expect(attempts[0]).to.not.have.property('code');
  });

  it('are each sent once by many deliverers at once', async () => {
    const { url, received } = await receiver(ok);
    const entries = many(url, 60);
    const deliverers = Array.from({ length: 4 }, () => setUp(connection, { perReceiverConcurrency: 30 }).notifications);
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

  it('all go in one call, also when attempts end while the next rows are looked for', async () => {
    const { url, received } = await receiver(ok);
    await setUp(connection).notifications.insert(many(url, 20));
    const leases = createLeases(notificationModel(connection), 20_000);
    let open = 0;
    const deliverDue = drainOver({
      ...leases,
      claim: async (ids, name) => {
        const rows = await leases.claim(ids, name);
        open += rows.length;
        return rows;
      },
      settle: async (...result) => {
        const written = await leases.settle(...result);
        open -= 1;
        return written;
      },
      findDue: async (fresh, except, limit) => {
        const rows = await leases.findDue(fresh, except, limit);
        if (except.length > 0) await until(() => open === 0, 'all attempts ended');
        return rows;
      },
    });
    expect(await deliverDue({ worker })).to.deep.include({ delivered: 20, nextDueAt: null });
    expect(received).to.have.length(20);
  });

  it('keep to 64 attempts under way at once, also where two calls find different rows at the same time', async () => {
    const { port } = await receiver(ok);
    const entries = Array.from({ length: 100 }, (_, at) =>
      notification(`http://merchant-${at}.test:${port}/`, { sequence: at + 1 }),
    );
    await setUp(connection).notifications.insert(entries);
    const leases = createLeases(notificationModel(connection), 20_000);
    const claimed: number[] = [];
    let finds = 0;
    const deliverDue = drainOver({
      ...leases,
      claim: (ids, name) => {
        claimed.push(ids.length);
        return leases.claim(ids, name);
      },
      findDue: async (fresh, except, limit) => {
        const find = (finds += 1);
        if (find > 2) return leases.findDue(fresh, except, limit);
        const all = await leases.findDue(fresh, except, 100);
        await until(() => finds >= 2, 'both calls look');
        return find === 1 ? all.slice(0, 50) : all.slice(50);
      },
    });
    const calls = await Promise.all([deliverDue({ worker }), deliverDue({ worker })]);
    expect(calls.reduce((sum, { delivered }) => sum + delivered, 0)).to.equal(100);
    expect(claimed.slice(0, 2)).to.deep.equal([50, 14]);
  });

  it('go first attempts before retries', async () => {
    const { url, received } = await receiver(ok);
    const { notifications } = setUp(connection, { perReceiverConcurrency: 1 });
    await notifications.insert([...many(url, 3, 1), ...many(url, 3, 11)]);
    await notificationModel(connection).updateMany(
      { paymentRequestId: { $lt: 10 } },
      { $set: { fresh: false, tries: 1 } },
    );
    await passTime(connection, 1000);
    await notifications.deliverDue({ worker });
    const order = received.map(({ headers }) => Number(headers['webhook-id']?.toString().split('-')[0]));
    expect(order.slice(0, 3)).to.have.members([11, 12, 13]);
    expect(order.slice(3)).to.have.members([1, 2, 3]);
  });

  it('pass a slow receiver by, of which no more than the limit is asked at once', async () => {
    const held: ServerResponse[] = [];
    const slow = await receiver((answer) => held.push(answer));
    const quick = await receiver(ok);
    const { notifications } = setUp(connection, { perReceiverConcurrency: 3 });
    await notifications.insert([...many(slow.url, 100, 1), ...many(quick.url, 5, 1001)]);
    await passTime(connection, 1000);
    const running = notifications.deliverDue({ worker, limit: 8 });
    await until(() => quick.received.length === 5, 'the quick receiver has all');
    expect(held).to.have.length(3);
    for (const answer of held) answer.end();
    expect(await running).to.deep.include({ delivered: 8 });
    expect(slow.received).to.have.length(3);
  });

  it('are found while a slow attempt is under way', async () => {
    const held: ServerResponse[] = [];
    const slow = await receiver((answer) => held.push(answer));
    const quick = await receiver(ok);
    const { notifications } = setUp(connection);
    await notifications.insert([notification(slow.url)]);
    const running = notifications.deliverDue({ worker });
    await until(() => held.length === 1, 'the slow receiver is asked');
    await notifications.insert([notification(quick.url, { sequence: 2 })]);
    await until(() => quick.received.length === 1, 'the quick receiver has it');
    held[0]?.end();
    expect(await running).to.deep.include({ delivered: 2 });
  });

  it('are left to the next holder where the process was held up before it could send them', async () => {
    const { url, received } = await receiver(ok);
    const realNow = performance.now.bind(performance);
    let heldUpMs = 0;
    performance.now = () => realNow() + heldUpMs;
    const secrets = () => {
      heldUpMs = 16_000;
      return Promise.resolve({ current });
    };
    try {
      const { notifications } = setUp(connection, {}, { secrets });
      await notifications.insert([notification(url)]);
      expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 0, lost: 1 });
      expect(received).to.have.length(0);
    } finally {
      performance.now = realNow;
    }
  });

  it('are put off, uncounted, while their receiver is known to be down; then one probe asks', async () => {
    let up = false;
    let time = Date.now();
    const { url, received } = await receiver((answer) => (up ? answer.end() : answer.destroy()));
    const config = { breakerFailures: 5, breakerCoolOffMs: 60_000, perReceiverConcurrency: 3 };
    const { notifications } = setUp(connection, config, { now: () => new Date(time) });
    await notifications.insert(many(url, 12));
    await passTime(connection, 1000);
    const { failed, postponed } = await notifications.deliverDue({ worker });
    // Those under way when the fifth fails end as they may.
    expect(failed).to.be.within(5, 7);
    expect(postponed).to.equal(12 - failed);
    expect(received).to.have.length(failed);
    expect(await notificationModel(connection).countDocuments({ tries: 0, fresh: true })).to.equal(12 - failed);

    time += 60_000;
    await passTime(connection, 61_000);
    const probed = await notifications.deliverDue({ worker });
    expect(probed).to.deep.include({ failed: 1, postponed: 11 });
    expect(received).to.have.length(failed + 1);

    up = true;
    time += 60_000;
    await passTime(connection, day);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 12, postponed: 0 });
  });

  it('are sent again with the same id and bytes when a lease lapsed, and the late result is not written', async () => {
    const held: ServerResponse[] = [];
    const { url, received } = await receiver((answer, count) => (count === 1 ? held.push(answer) : answer.end()));
    const slow = setUp(connection).notifications;
    const quick = setUp(connection).notifications;
    const entry = notification(url);
    await slow.insert([entry]);
    const late = slow.deliverDue({ worker: 'slow', limit: 1 });
    await until(() => held.length === 1, 'the first attempt is under way');
    expect(await quick.deliverDue({ worker: 'quick' })).to.deep.include({ delivered: 0 });
    await passTime(connection, testConfig.timeoutMs + 16_000);
    expect(await quick.deliverDue({ worker: 'quick' })).to.deep.include({ delivered: 1 });
    held[0]?.writeHead(500).end();
    expect(await late).to.deep.include({ failed: 0, lost: 1 });

    const row = await readRow(connection, entry.id);
    expect(row).to.deep.include({ state: 'delivered', tries: 1, lapses: 1 });
    expect(row.attempts.map(({ status, ms }) => [status, ms === null])).to.deep.equal([
      [null, true],
      [200, false],
    ]);
    expect(received.map(told)[1]).to.deep.equal(received.map(told)[0]);
  });

  it('arrive after their worker was killed with -9: at most one more delivery, same id and bytes', async () => {
    const held: ServerResponse[] = [];
    const { url, received } = await receiver((answer, count) => (count === 1 ? held.push(answer) : answer.end()));
    const { notifications } = setUp(connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    const child = fork(fileURLToPath(new URL('./test-worker.js', import.meta.url)), [connection.name, 'doomed']);
    const ended = once(child, 'exit');
    await until(() => held.length === 1, 'the child’s attempt is under way');
    child.kill('SIGKILL');
    await ended;

    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 0 });
    expect(await notifications.releaseWorker('another')).to.equal(0);
    expect(await notifications.releaseWorker('doomed')).to.equal(1);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 1 });
    expect(received).to.have.length(2);
    expect(received.map(told)[1]).to.deep.equal(received.map(told)[0]);
    expect(await readRow(connection, entry.id)).to.deep.include({ state: 'delivered', tries: 1, lapses: 1 });
  });

  it('are put aside when worker after worker dies of them', async () => {
    const { url, received } = await receiver(ok);
    const { notifications } = setUp(connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    const claim = { token: 't', worker: 'dead', at: new Date() };
    await notificationModel(connection).updateOne({ _id: entry.id }, { $set: { lapses: 5, claim } });
    expect(await notifications.deliverDue({ worker })).to.deep.include({ exhausted: 1 });
    expect(received).to.have.length(0);
  });

  it('end in order when the process stops: what is under way may end, then it is cut and due again at once', async () => {
    const held: ServerResponse[] = [];
    const { url, received } = await receiver((answer, count) => (count <= 2 ? held.push(answer) : answer.end()));
    const { notifications } = setUp(connection, { perReceiverConcurrency: 2 });
    await notifications.insert(many(url, 3));
    const stop = new AbortController();
    const running = notifications.deliverDue({ worker, signal: stop.signal, graceMs: 200 });
    await until(() => held.length === 2, 'two attempts are under way');
    stop.abort();
    held[0]?.end();
    expect(await running).to.deep.include({ delivered: 1, cut: 1 });
    expect(received).to.have.length(2);
    expect(await notifications.deliverDue({ worker, signal: stop.signal })).to.deep.include({ delivered: 0 });

    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 2 });
    const rows = await notificationModel(connection).find({ state: 'delivered' }).lean();
    expect(rows.map(({ tries }) => tries)).to.deep.equal([1, 1, 1]);
    expect(rows.flatMap(({ attempts }) => attempts).map(({ error }) => error)).to.include(
      'cut off because the worker stops',
    );
  });

  it('are sent once more when that was asked for during an attempt', async () => {
    const held: ServerResponse[] = [];
    const { url, received } = await receiver((answer, count) => (count === 1 ? held.push(answer) : answer.end()));
    const { notifications } = setUp(connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    const running = notifications.deliverDue({ worker, limit: 1 });
    await until(() => held.length === 1, 'the first attempt is under way');
    const asked = await notifications.resend({ ownerId: 7, environment: 'test', id: entry.id });
    expect(asked).to.deep.include({ state: 'waiting', nextAttemptAt: null });
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 0 });
    held[0]?.writeHead(500).end();
    await running;
    expect(await notifications.deliverDue({ worker })).to.deep.include({ delivered: 1 });
    expect(received).to.have.length(2);
    expect(await readRow(connection, entry.id)).to.deep.include({ state: 'delivered', tries: 1, round: 2 });
  });

  it('fail visibly where they cannot be signed', async () => {
    const { url, received } = await receiver(ok);
    const secrets = () => Promise.reject(new Error('the sealing key is another'));
    const { notifications } = setUp(connection, {}, { secrets });
    const entry = notification(url);
    await notifications.insert([entry]);
    expect(await notifications.deliverDue({ worker })).to.deep.include({ failed: 1 });
    expect(received).to.have.length(0);
    expect((await readRow(connection, entry.id)).attempts[0]).to.deep.include({ error: 'it could not be signed' });
  });

  it('log one line per attempt, without URL, secret or body', async () => {
    const { url, port } = await receiver((answer, count) => answer.writeHead(count === 1 ? 500 : 200).end());
    const { notifications, lines } = setUp(connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    await notifications.deliverDue({ worker });
    await passTime(connection, 6000);
    await notifications.deliverDue({ worker });
    const { id: notificationId, requestId, paymentRequestId } = entry;
    const about = { notificationId, requestId, paymentRequestId, host: `127.0.0.1:${port}` };
    expect(lines).to.have.length(2);
    expect(lines[0]).to.deep.include({ ...about, attempt: 1, outcome: 'failed', status: 500 });
    expect(lines[1]).to.deep.include({ ...about, attempt: 2, outcome: 'delivered', status: 200 });
    for (const secret of ['tenant', 'whsec', 'recipientName']) expect(JSON.stringify(lines)).to.not.contain(secret);
  });
});
