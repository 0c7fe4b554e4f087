/** Test and live mode: which key sees which payment request, and how a receiver tells the two apart. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

describe('the mode of a payment, test or live', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let live: { 'X-API-Key': string };
  let liveSecret: string;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-c'], config: (config) => (config.keys.liveKeys = true) });
    const made = await gateway.gateway.access.keys.create({ owner: 'demo', environment: 'production' });
    live = { 'X-API-Key': made.key };
    liveSecret = made.webhookSecret;
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  const create = async (headers: Readonly<Record<string, string>>, more: object = {}) => {
    const body = { amount: 5, unit: 'EUR', ...more };
    return (await gateway.post('/payment-requests', body, headers)).json.paymentRequest as {
      id: number;
      isSandbox: boolean;
    };
  };

  it('shows in the resource permanently', async () => {
    expect(await create({})).to.include({ isSandbox: true });
    expect(await create(live)).to.include({ isSandbox: false });
    expect(await create(live, { isSandbox: false })).to.include({ isSandbox: false });
    expect(await create(live, { isSandbox: true })).to.include({ isSandbox: true });
    expect(await create({}, { isSandbox: false })).to.include({ isSandbox: true });
    const batch = await gateway.post(
      '/payment-requests/batch',
      { paymentRequests: [{ amount: 1, unit: 'EUR', isSandbox: true }] },
      live,
    );
    const [{ id }] = batch.json.results;
    expect((await gateway.get(`/payment-requests/${id}`, live)).json.isSandbox).to.equal(true);
  });

  it('hides test payments from a live key, and live payments from a test key', async () => {
    const [test, real, ofLive] = [await create({}), await create(live), await create(live, { isSandbox: true })];
    const status = async (id: number, headers = {}) => (await gateway.get(`/payment-requests/${id}`, headers)).status;
    expect(await status(test.id)).to.equal(200);
    expect(await status(test.id, live)).to.equal(404);
    expect(await status(real.id)).to.equal(404);
    expect(await status(real.id, live)).to.equal(200);
    expect(await status(ofLive.id, live)).to.equal(200);
    expect(await status(ofLive.id)).to.equal(200);
    expect((await gateway.post(`/payment-requests/${test.id}/cancel`, undefined, live)).status).to.equal(404);
    expect((await gateway.post(`/payment-requests/${ofLive.id}/cancel`, undefined, live)).status).to.equal(200);
    const { items } = (await gateway.get('/payment-requests?limit=100', live)).json;
    expect(items.filter((one: { isSandbox: boolean }) => one.isSandbox)).to.deep.equal([]);
  });

  it('selects the secret of the signature, and is named in body and header', async () => {
    expect(liveSecret).to.not.equal(gateway.webhookSecret);
    const body = cardBody('4111111111111111', '25.90', { notifyUrl: receiver.url, isSandbox: true });
    const { id } = (await gateway.post('/payments/h2h/13', body, live)).json.paymentRequest;
    const sent = await until('notified', async () =>
      receiver.received.find(({ json }) => json.data.paymentRequest.id === id && json.type === 'payment.succeeded'),
    );
    expect(sent.json).to.include({ mode: 'test' });
    expect(sent.json.data.paymentRequest).to.include({ isSandbox: true });
    expect(sent.headers).to.include({
      'x-webhook-mode': 'test',
      'x-webhook-signature': createHmac('sha512', gateway.webhookSecret).update(sent.body).digest('hex'),
    });
  });

  it('selects the default address, and the live one gets no test event', async () => {
    const { owners } = gateway.gateway.access;
    const pay = async (): Promise<number> =>
      (await gateway.post('/payments/h2h/13', cardBody('4111111111111111', '7.00'))).json.paymentRequest.id;
    await owners.setDefaults('demo', { notifyUrl: receiver.url });
    const unheard = await pay();
    await owners.setDefaults('demo', { testNotifyUrl: receiver.url });
    const heard = await pay();
    const ids = () => receiver.received.map(({ json }) => json.data.paymentRequest.id);
    await until('notified', async () => ids().includes(heard));
    await gateway.work();
    expect(ids()).to.not.include(unheard);
  });

  it('selects the secret that verifies the signature of a test callback', async () => {
    const text = '{}';
    const check = async (secret: string, headers = {}) => {
      const signature = createHmac('sha512', secret).update(text).digest('hex');
      const answer = await gateway.post('/callbacks/test/json', text, { ...headers, 'X-Webhook-Signature': signature });
      return answer.json.signatureValid as boolean;
    };
    expect(await check(gateway.webhookSecret)).to.equal(true);
    expect(await check(liveSecret)).to.equal(false);
    expect(await check(liveSecret, live)).to.equal(true);
    expect(await check(gateway.webhookSecret, live)).to.equal(false);
  });
});
