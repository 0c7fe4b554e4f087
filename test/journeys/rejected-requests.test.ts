/** A repeated request that the provider rejects before it reads it gives no information about the first request. */
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { cardBody } from '../support/bodies.ts';
import { openAction, press } from '../support/payer.ts';
import { startProxy, type Proxy, type Reply } from '../support/proxy.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { makeDue, toTestPayment, type TestPayment } from '../support/scenarios.ts';

const lost: Reply = { status: 502, type: 'text/html', body: '<h1>Bad Gateway</h1>' };
const busy: Reply = { status: 503, body: '{"error":{"code":"BUSY","text":"try again","charged":"no"}}' };

describe('a repetition that the provider rejects', () => {
  let gateway: TestGateway;
  let proxy: Proxy;
  before(async () => {
    proxy = await startProxy();
    gateway = await startGateway({
      adapters: ['provider-a'],
      delayMs: 600_000, // No callback reports what the answers leave open.
      config: (config) => (config.adapters['provider-a'].options.sandboxBaseUrl = proxy.url),
    });
    proxy.target = gateway.sandboxes['provider-a']!;
  });
  beforeEach(() => Object.assign(proxy, { before: async () => undefined, after: async () => undefined }));
  after(async () => {
    await gateway.close();
    await proxy.close();
  });

  const pay = async (number: string): Promise<TestPayment> =>
    toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody(number, 25.9)));
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  const loadPayment = async ({ id }: TestPayment): Promise<any> =>
    gateway.gateway.connection.collection<{ _id: number }>('paymentRequests').findOne({ _id: id });

  it('keeps an accepted refund, and its amount, for the next status fetch', async () => {
    const payment = await pay('4111111111111111');
    await payment.waitForStatus(2);
    proxy.after = async ({ path }) => (path.endsWith('/refunds') ? lost : undefined);
    await gateway.post(`/payment-requests/${payment.id}/refund`, { amount: 12.9 });
    expect((await loadPayment(payment)).refunds[0].state).to.equal('unknown');

    proxy.before = async ({ method }) => (method === 'POST' ? busy : lost);
    const payments = gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
    await payments.updateOne({ _id: payment.id }, { $set: { 'refunds.0.requestedAt': new Date(0) } });
    await makeDue(payment);
    expect((await loadPayment(payment)).refunds[0]).to.deep.include({ state: 'unknown', checks: 1 });
    const more = await gateway.post(`/payment-requests/${payment.id}/refund`, { amount: 13.1 });
    expect([more.status, more.json.details?.field]).to.deep.equal([400, 'amount']);
  });

  it('is not trusted from a provider that does not find a payment under its own number', async () => {
    const payment = await pay('4000000000003097');
    expect((await payment.view()).transactionNumber).to.match(/^A-/);
    proxy.before = async () => ({ status: 404, body: '{"error":{"code":"NO_SUCH","text":"no such reference"}}' });
    const payments = gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
    // Late enough for A's status to be final.
    await payments.updateOne({ _id: payment.id }, { $set: { 'attempts.0.endedAt': new Date(0) } });
    await makeDue(payment);
    expect((await loadPayment(payment)).attempts[0]).to.deep.include({ outcome: 'open', checks: 1 });
    expect((await payment.view()).paymentRequestStatusId).to.equal(1);
  });

  it('keeps a payment open whose completion may have charged', async () => {
    const payment = await pay('4000000000003220');
    await press(await openAction(payment.action), 'result', 'pass');
    let completed = 0;
    proxy.after = async ({ path }) => {
      if (!path.endsWith('/complete')) return undefined;
      completed += 1;
      return lost;
    };
    await gateway.post(`/payments/creditCard/${payment.id}?transaction3dsId=${payment.action.transactionId}`, card());
    expect(completed).to.equal(1);
    proxy.before = async ({ method }) => (method === 'POST' ? busy : lost);
    await makeDue(payment);
    expect(await payment.view()).to.include({ paymentRequestStatusId: 1, transactionStatusId: 1 });

    // It is paid once it can be completed.
    Object.assign(proxy, { before: async () => undefined, after: async () => undefined });
    await makeDue(payment);
    await payment.waitForStatus(2);
  });

  function card(): string {
    const { amount: _, unit: __, ...body } = JSON.parse(cardBody('4000000000003220')) as Record<string, unknown>;
    return JSON.stringify(body);
  }
});
