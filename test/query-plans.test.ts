/** What the service asks of its database, by the database's own profile: no question reads a whole collection. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { countDeposits } from '../workers/jobs/count-deposits.ts';
import { expirePayments } from '../workers/jobs/expire-payments.ts';
import { purgeExpired } from '../workers/jobs/purge-expired.ts';
import { cardBody, payer } from './support/bodies.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';
import { toTestPayment } from './support/scenarios.ts';

interface Profiled {
  readonly ns: string;
  readonly op: string;
  readonly planSummary?: string;
  readonly command?: Readonly<Record<string, unknown>>;
}

/** A handful of documents, for good: an index would be larger than they are. */
const small = ['adapterStates', 'adapterRuns', 'adapterChanges', 'counters'];

describe('the plans of queries', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({
      adapters: ['provider-a'],
      config: (config) => {
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

  it('never read a whole collection', async () => {
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
    await paid.has(2);
    const late = toTestPayment(
      gateway,
      await gateway.post('/payments/h2h/11', cardBody('4000000000003063', 25.9, { notifyUrl })),
    );
    await late.has(2);
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
    await gateway.work();
    for (const job of [countDeposits, expirePayments, purgeExpired])
      await job.run(gateway.gateway, new AbortController().signal);
    await gateway.gateway.releaseWorker('nobody');
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
});
