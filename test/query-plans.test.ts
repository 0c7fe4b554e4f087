/** Checks the service's queries with the database's own profiler: no query scans a whole collection. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { mongo } from 'mongoose';
import { createPaymentSearch, type PaymentSearch } from '../core/engine/payments/index.ts';
import { createSettlementPayments } from '../core/settlement/payments.ts';
import type { SettlementRow } from '../core/settlement/read-rows.ts';
import { until } from '../core/base/testing/until.ts';
import { expirePayments } from '../workers/jobs/expire-payments.ts';
import { purgeExpired } from '../workers/jobs/purge-expired.ts';
import { cardBody, payer } from './support/bodies.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { startConsole } from './support/start-console.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';
import { toTestPayment } from './support/scenarios.ts';

interface Profiled {
  readonly ns: string;
  readonly op: string;
  readonly docsExamined?: number;
  readonly planSummary?: string;
  readonly command?: Readonly<Record<string, unknown>>;
}

/**
 * Collections that always hold few documents, or only those that need an operator: an index would be larger than they
 * are.
 */
const small = ['adapterStates', 'adapterRuns', 'adapterChanges', 'counters', 'endpoints'];

describe("the service's query plan", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({
      adapters: ['provider-a'],
      config: (config) => {
        config.notifications.keepUndeliveredDays = 30;
        config.risk = [
          {
            id: 1,
            when: {},
            velocity: { by: 'email', max: 1000, windowMinutes: 5 },
            action: 'deny',
            reason: 'too many attempts',
          },
        ];
      },
    });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  it('never scans a whole collection', async () => {
    const { connection } = gateway.gateway;
    await connection.db!.command({ profile: 2 });
    const notifyUrl = receiver.url;
    const order = { amount: 25.9, unit: 'EUR', referenceId: 'r', clientEmail: payer.email, notifyUrl };
    for (let times = 1; times <= 2; times += 1) {
      const headers = { 'Idempotency-Key': `batch ${times}` };
      await gateway.post('/payment-requests/batch', { paymentRequests: [order, order] }, headers);
      await connection
        .collection('idempotencyRecords')
        .updateMany(
          { _id: { $exists: true } },
          { $set: { state: 'running', leaseUntil: new Date(0) }, $unset: { response: '' } },
        );
      await gateway.post('/payment-requests/batch', { paymentRequests: [order, order] }, headers);
    }
    const paid = toTestPayment(
      gateway,
      await gateway.post('/payments/h2h/11', cardBody('4111111111111111', 25.9, { notifyUrl })),
    );
    await paid.waitForStatus(2);
    const late = toTestPayment(
      gateway,
      await gateway.post('/payments/h2h/11', cardBody('4000000000003063', 25.9, { notifyUrl })),
    );
    await late.waitForStatus(2);
    await gateway.post(`/payment-requests/${paid.id}/refund`, { amount: 10 });
    const { id, clientId } = (await gateway.post('/payment-requests', order)).json.paymentRequest;
    await gateway.post(`/payments/creditCard/${id}`, cardBody('4000000000000002'));
    await gateway.post(`/payment-requests/${id}/cancel`, undefined);
    for (const path of [
      '/payment-requests?limit=1',
      `/payment-requests?clientId=${clientId}&status=5&providerId=11&methodId=1&createdFrom=2026-01-01`,
      '/payment-requests?referenceId=r',
      `/payment-requests/${paid.id}/timeline`,
      `/notifications?paymentRequestId=${paid.id}`,
      '/notifications?state=delivered&type=payment.succeeded',
      '/reports/payments',
    ]) {
      expect((await gateway.get(path)).status, path).to.equal(200);
    }
    await gateway.post('/notifications/resend', undefined);
    const { portal } = gateway.gateway.httpDeps;
    const link = { id: 'plink_', ownerId: gateway.ownerId, environment: 'test', allowsRotation: false } as const;
    const opened = { ...link, expiresAt: new Date() };
    await portal!.deliveries(opened, { limit: 1 });
    await portal!.endpoints(opened);
    const { items, nextCursor } = await portal!.calls(opened, { limit: 1 });
    expect(items).to.have.lengthOf(1);
    await portal!.calls(opened, { limit: 1, cursor: nextCursor! });
    await portal!.active(link.id);
    await gateway.work();
    for (const job of [expirePayments, purgeExpired]) await job.run(gateway.gateway, new AbortController().signal);
    await gateway.gateway.releaseWorker('no-worker');
    await connection.db!.command({ profile: 0 });

    const profiled = await connection.db!.collection<Profiled>('system.profile').find().toArray();
    const scans = profiled.filter(({ ns, planSummary = '' }) => {
      const name = ns.slice(ns.indexOf('.') + 1);
      return planSummary.includes('COLLSCAN') && !small.includes(name) && name !== 'system.profile';
    });
    const found = scans.map(({ ns, op, command = {} }) => {
      const { find, query, filter, q, pipeline } = command;
      return `${op} ${ns.replace(/^[^.]*/, '')} ${JSON.stringify(find ? filter : (query ?? q ?? pipeline ?? command)).slice(0, 300)}`;
    });
    expect([...new Set(found)].join('\n')).to.equal('');
    expect(profiled.some(({ planSummary = '' }) => planSummary.startsWith('IXSCAN'))).to.equal(true);
  });

  it('examines few payments or notifications that a list does not show, whatever the filter', async () => {
    const { connection } = gateway.gateway;
    const notifyUrl = receiver.url;
    const made = await gateway.post('/payments/h2h/11', cardBody('4111111111111111', 25.9, { notifyUrl }));
    const paid = toTestPayment(gateway, made);
    await paid.waitForStatus(2);
    const payments = connection.collection<{ _id: number; createdAt: Date }>('paymentRequests');
    const notifications = connection.collection<{ _id: string }>('notifications');
    const [payment, notification] = await Promise.all([
      payments.findOne({ _id: paid.id }),
      until('it is notified', async () => (await notifications.findOne({ paymentRequestId: paid.id })) ?? undefined),
    ]);
    const others = Array.from({ length: 200 }, (_, at) => at + 1);
    await payments.insertMany(others.map((at) => ({ ...payment!, _id: at, createdAt: new Date(at) })));
    await notifications.insertMany(others.map((at) => ({ ...notification, _id: `other-${at}` })));

    const { clientId } = (await gateway.post('/payment-requests', { amount: 1, unit: 'EUR', referenceId: 'alone' }))
      .json.paymentRequest;
    const oldest = Buffer.from('2-2').toString('base64url');
    const lists = [
      '/payment-requests?providerId=12',
      '/payment-requests?providerId=0',
      '/payment-requests?methodId=7',
      '/payment-requests?methodId=0',
      '/payment-requests?methodId=1&providerId=12',
      '/payment-requests?status=4',
      '/payment-requests?status=2&providerId=0',
      '/payment-requests?referenceId=alone',
      `/payment-requests?clientId=${clientId}`,
      `/payment-requests?cursor=${oldest}`,
      '/payment-requests?createdTo=1970-01-01',
      '/notifications?type=payment.charged_back',
      '/notifications?state=exhausted',
      '/notifications?paymentRequestId=12',
    ];
    const examined: Record<string, number> = {};
    const profile = connection.db!.collection<Profiled>('system.profile');
    for (const path of lists) {
      await profile.drop();
      await connection.db!.command({ profile: 2 });
      const { items } = (await gateway.get(path)).json;
      await connection.db!.command({ profile: 0 });
      const asked = { ns: /\.(paymentRequests|notifications)$/, op: 'query', 'command.sort.createdAt': -1 };
      const found = await profile.find(asked).toArray();
      expect(found, path).to.have.lengthOf(1);
      const read = found.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0);
      // There are 200 other documents.
      if (read > items.length + 10) examined[`${path}, which shows ${items.length}`] = read;
    }
    expect(examined).to.deep.equal({});
  });

  it("examines few payments that an operator's search does not find, whatever the search text", async () => {
    const { connection } = gateway.gateway;
    const payments = connection.collection<StoredPayment>('paymentRequests');
    await payments.deleteMany({ _id: { $lte: 200 } });
    const body = cardBody('4111111111111111', 31.07, { referenceId: 'found' });
    const paid = toTestPayment(gateway, await gateway.post('/payments/h2h/11', body));
    await paid.waitForStatus(2);
    const payment = (await payments.findOne({ _id: paid.id }))!;
    const [attempt] = payment.attempts;
    const ordered = (id: string) => ({ providerReferences: [{ name: 'order', id }] });
    const marked = { ...attempt, ...ordered('this order'), decline: '51' };
    await payments.updateOne({ _id: paid.id }, { $set: { 'attempts.0': marked, problems: ['charged_twice'] } });
    const others = Array.from({ length: 200 }, (_, at) => ({
      ...payment,
      _id: at + 1,
      createdAt: new Date(at),
      amount: mongo.Decimal128.fromString('1'),
      clientId: 1,
      statusId: 5,
      referenceId: 'other',
      searchKeys: ['n:other', `e:other${at}@mail.example`, `p:9${at}`],
      attempts: [{ ...attempt, ...ordered(`order ${at}`), providerReference: `other ${at}`, cardLastDigits: '0000' }],
    }));
    await payments.insertMany(others);
    const search = createPaymentSearch(connection);
    const profile = connection.db!.collection<Profiled>('system.profile');
    const searches: readonly Omit<PaymentSearch, 'limit'>[] = [
      { text: String(paid.id) },
      { text: `GW-${paid.id}-1` },
      { text: 'found' },
      { text: String(attempt!['providerReference']) },
      { text: 'this order' },
      { text: payer.email },
      { text: payer.email.slice(0, 5) },
      { text: payer.name },
      { text: payer.phoneNumber },
      { text: '31,07' },
      { text: '…1111' },
      { text: 'paid' },
      { text: 'Charged twice' },
      { problem: 'charged_twice' },
      { problem: 'charged_twice', text: payer.name },
      { decline: '51' },
      { amount: '31.07' },
      { lastFour: '1111' },
      { status: 'paid' },
      { createdFrom: new Date(Date.now() - 3_600_000) },
      {},
    ];
    // For each part of a text, a search reads the payments that have this part: those of the payer.
    const combined: readonly Omit<PaymentSearch, 'limit'>[] = [
      { text: `${payer.name.split(' ')[0]} 31.07` },
      { text: `paid ${payer.name}` },
      { text: `31.07 EUR charged twice ${payer.email}` },
    ];
    const ofPayer = await payments.countDocuments({ searchKeys: `e:${payer.email}` });
    const wrong: unknown[] = [];
    for (const one of [...searches, ...combined]) {
      await profile.drop();
      await connection.db!.command({ profile: 2 });
      const { items } = await search({ ...one, limit: 5 });
      await connection.db!.command({ profile: 0 });
      const asked = await profile.find({ op: { $in: ['query', 'getmore', 'command'] } }).toArray();
      expect(
        items.map(({ id }) => id),
        JSON.stringify(one),
      ).to.include(paid.id);
      const read = asked.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0);
      const plans = asked
        .filter(({ ns }) => ns.endsWith('.paymentRequests'))
        .map(({ planSummary = '' }) => planSummary);
      const most = items.length + 10 + (combined.includes(one) ? 2 * ofPayer : 0);
      if (read > most || plans.some((plan) => plan.includes('COLLSCAN'))) wrong.push({ one, read, plans });
    }
    expect(wrong).to.deep.equal([]);

    // The same for a settlement file: the payments that it names, and those of a time span that it lacks.
    const settled = createSettlementPayments(connection);
    const named = {
      kind: 'payment',
      reference: `GW-${paid.id}-1`,
      providerReference: 'this order',
      subReference: 'none',
    };
    const rows = [named, { ...named, kind: 'refund' }] as unknown as readonly SettlementRow[];
    const hour = 3_600_000;
    await payments.updateMany({ _id: { $lte: 200 } }, { $set: { 'attempts.0.settledAt': new Date(0) } });
    await profile.drop();
    await connection.db!.command({ profile: 2 });
    const found = [...(await settled.namedBy(rows))];
    const [from, to] = [new Date(Date.now() - hour), new Date(Date.now() + hour)];
    for await (const one of settled.movedBetween('provider-a', from, to)) found.push(one);
    await connection.db!.command({ profile: 0 });
    const asked = await profile.find({ op: { $in: ['query', 'getmore'] } }).toArray();
    expect(found.filter(({ _id }) => _id === paid.id)).to.have.lengthOf(2);
    expect(asked.map(({ planSummary = '' }) => planSummary).filter((plan) => plan.includes('COLLSCAN'))).to.deep.equal(
      [],
    );
    expect(asked.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0)).to.be.at.most(found.length + 20);
  });

  it('examines only as many documents for a console page as the page shows, however many exist', async () => {
    const { connection, access } = gateway.gateway;
    const body = cardBody('4111111111111111', 77.7, { referenceId: 'shown', notifyUrl: receiver.url });
    const paid = toTestPayment(gateway, await gateway.post('/payments/h2h/11', body));
    await paid.waitForStatus(2);
    const inbox = connection.collection<{ _id: string; receivedAt: Date }>('inbox');
    const letter = await until('a callback is applied', async () => {
      return (await inbox.findOne({ 'events.paymentRequestId': paid.id, state: 'done' })) ?? undefined;
    });
    const notifications = connection.collection<{ _id: string }>('notifications');
    // Its result is written after the merchant has received it.
    const isDelivered = { paymentRequestId: paid.id, type: 'payment.succeeded', state: 'delivered' };
    const notification = await until('a notification is delivered', async () => {
      return (await notifications.findOne(isDelivered)) ?? undefined;
    });
    const payments = connection.collection<StoredPayment>('paymentRequests');
    const payment = (await payments.findOne({ _id: paid.id }))!;
    const many = Array.from({ length: 600 }, (_, at) => at + 1000);
    await payments.insertMany(many.map((at) => ({ ...payment, _id: at, createdAt: new Date(at) })));
    await inbox.insertMany(many.map((at) => ({ ...letter, _id: `many-${at}`, events: [] })));
    const manyNotifications = many.map((at) => ({
      ...notification,
      _id: `many-${at}`,
      paymentRequestId: at,
      sequence: 1,
    }));
    await notifications.insertMany(manyNotifications);
    // A backlog in which nothing has failed.
    const queued = { state: 'waiting', tries: 0, fresh: true, dueAt: new Date(Date.now() + 3_600_000), attempts: [] };
    const type = 'payment.pending';
    await notifications.insertMany(
      manyNotifications.map((one) => ({ ...one, ...queued, type, _id: `queued-${one._id}` })),
    );
    await inbox.updateOne({ _id: letter._id }, { $set: { state: 'dead_letter' } });

    const server = await startConsole(gateway);
    const { key } = await access.operators.create({ name: 'Ada', role: 'admin' });
    const at = (path: string): string => `http://127.0.0.1:${server.port}${path}`;
    const signedIn = await fetch(at('/ops/sign-in'), {
      method: 'POST',
      body: new URLSearchParams({ key }),
      redirect: 'manual',
    });
    const headers = { Cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! };
    const pages = [
      '/ops',
      '/ops/payments',
      '/ops/payments?text=shown',
      '/ops/payments?amount=77.7&unit=EUR',
      '/ops/payments?lastFour=1111',
      '/ops/payments?owner=demo&status=paid&mode=test',
      '/ops/payments?from=2026-01-01T00:00',
      '/ops/payments?text=ines',
      '/ops/payments?problem=refund',
      '/ops/payments?problem=pending_long',
      '/ops/disputes',
      '/ops/disputes?stage=all',
      `/ops/payments/${paid.id}`,
      '/ops/checks',
      '/ops/callbacks',
      '/ops/callbacks?state=dead_letter',
      '/ops/callbacks?state=waiting',
      `/ops/callbacks/${letter._id}`,
      '/ops/notifications',
      '/ops/notifications?state=exhausted',
      '/ops/notifications?state=failing',
      '/ops/notifications?state=delivered&type=payment.succeeded',
      `/ops/notifications?payment=${paid.id}`,
      '/ops/alarms',
      '/ops/jobs',
      '/ops/adapters',
      '/ops/adapters/provider-a',
      '/ops/merchants',
      `/ops/merchants/${gateway.ownerId}`,
      '/ops/settlement',
      '/ops/audit',
    ];
    const profile = connection.db!.collection<Profiled>('system.profile');
    const wrong: unknown[] = [];
    for (const path of pages) {
      await profile.drop();
      await connection.db!.command({ profile: 2 });
      const { status } = await fetch(at(path), { headers });
      await connection.db!.command({ profile: 0 });
      expect(status, path).to.equal(200);
      const asked = await profile.find({ op: { $in: ['query', 'command', 'getmore'] } }).toArray();
      for (const { ns, planSummary = '', docsExamined = 0 } of asked) {
        const name = ns.slice(ns.indexOf('.') + 1);
        const grows = ['paymentRequests', 'inbox', 'notifications', 'exchanges', 'traffic', 'audit', 'alarms'].includes(
          name,
        );
        // A page shows at most 100 documents; there are 600.
        if (grows && (planSummary.includes('COLLSCAN') || docsExamined > 110))
          wrong.push({ path, name, planSummary, docsExamined });
      }
    }
    await server.close(0);
    expect(wrong).to.deep.equal([]);
  });
});

interface StoredPayment {
  readonly _id: number;
  readonly attempts: readonly Readonly<Record<string, unknown>>[];
}
