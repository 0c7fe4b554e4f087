import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

describe('a notification to a merchant', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({
      adapters: ['provider-a'],
      config: (config) => {
        config.notifications.attemptDelaysSeconds = [0, 0.05, 0.05];
        config.notifications.timeoutMs = 2000;
      },
    });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });
  beforeEach(() => {
    receiver.answer = (response) => response.writeHead(200).end();
  });

  async function pay(number: string, amount = '25.90'): Promise<number> {
    const answer = await gateway.post('/payments/h2h/11', cardBody(number, amount, { notifyUrl: receiver.url }));
    return Number(answer.headers.get('x-payment-request-id'));
  }

  async function expectNotifications(id: number, types: readonly string[]): Promise<void> {
    await until(types.join(', '), async () => receiver.ofPayment(id).length >= types.length);
    const byOrder = receiver.ofPayment(id).toSorted((a, b) => a.json.sequence - b.json.sequence);
    expect(byOrder.map(({ json }) => json.type)).to.deep.equal(types);
    expect(byOrder.map(({ json }) => json.sequence)).to.deep.equal(types.map((_, index) => index + 1));
  }

  it('reports a success, signed in both ways', async () => {
    const id = await pay('4111111111111111');
    await expectNotifications(id, ['payment.succeeded']);
    const [{ headers, body, json } = { headers: {}, body: '', json: {} }] = receiver.ofPayment(id);
    const mac = createHmac('sha512', gateway.webhookSecret).update(body).digest('hex');
    expect(headers['x-webhook-signature']).to.equal(mac);
    expect(new Webhook(gateway.webhookSecret).verify(body, headers as Record<string, string>)).to.deep.equal(json);
    expect(json).to.deep.include({ id: `${id}-1`, apiVersion: '2.1', sequence: 1 });
    expect(headers['webhook-id']).to.equal(`${id}-1`);
    expect(json.data.paymentRequest).to.include({ id, paymentRequestStatusId: 2, amount: 25.9, grossAmount: 25.9 });
  });

  it('reports a decline once, and nothing else', async () => {
    const id = await pay('4000000000000002');
    await expectNotifications(id, ['payment.failed']);
  });

  it('reports pending, then success by callback', async () => {
    await expectNotifications(await pay('4000000000003063'), ['payment.pending', 'payment.succeeded']);
  });

  it('reports a later refund, and once each a chargeback that opens and is lost', async () => {
    await expectNotifications(await pay('4000000000000341'), ['payment.succeeded', 'payment.refunded']);
    const disputed = await pay('4000000000000440');
    await expectNotifications(disputed, ['payment.succeeded', 'payment.charged_back']);
    await until('lost', async () => {
      const { json } = await gateway.get(`/payment-requests/${disputed}`);
      return json.logs.some(({ message }: { message: string }) => message.includes('lost'));
    });
    expect(receiver.ofPayment(disputed)).to.have.length(2);
  });

  it('repeats the same bytes after a failure, a redirect and a timeout, and records each attempt', async () => {
    let count = 0;
    receiver.answer = (response) => {
      count += 1;
      if (count === 1) response.writeHead(500).end();
      else if (count === 2) response.writeHead(302, { Location: `${receiver.url}/elsewhere` }).end();
    };
    const id = await pay('4111111111111111');
    const items = await until('three attempts', async () => {
      await gateway.work();
      const { json } = await gateway.get(`/notifications?paymentRequestId=${id}`);
      return json.items[0]?.state === 'exhausted' && json.items;
    });
    expect(items[0].attempts.map(({ status }: { status: number | null }) => status)).to.deep.equal([500, 302, null]);
    expect(items[0].attempts[2].code).to.equal('WH002');
    expect(new Set(receiver.ofPayment(id).map(({ body }) => body)).size).to.equal(1);

    receiver.answer = (response) => response.writeHead(200).end();
    expect((await gateway.post(`/notifications/${id}-1/resend`, undefined)).status).to.equal(200);
    await until(
      'delivered',
      async () => (await gateway.get(`/notifications?paymentRequestId=${id}`)).json.items[0].state === 'delivered',
    );
  });

  it('keeps card number and CVV out of logs, database and notifications', async () => {
    const number = '5555555555554444';
    const cvv = '9417';
    const { status } = await gateway.post(
      '/payments/h2h/11',
      cardBody(number, '31.90', { cvv, notifyUrl: receiver.url }),
    );
    expect(status).to.equal(200);
    await gateway.post('/payments/h2h/11', cardBody(`${number}0`, '31.90', { cvv, notifyUrl: receiver.url }));
    await until('notified', async () => receiver.received.some(({ body }) => body.includes('31.9')));
    const { connection } = gateway.gateway;
    const stored: string[] = [];
    for (const { name } of await connection.listCollections()) {
      stored.push(JSON.stringify(await connection.collection(name).find().toArray()));
    }
    const everything = [...gateway.logged, ...stored, ...receiver.received.map(({ body }) => body)].join('\n');
    expect(everything).to.include('555555');
    expect(everything).not.to.include(number);
    expect(everything).not.to.match(new RegExp(`"${cvv}"`));
    expect(everything).not.to.include(gateway.key);
    expect(everything).not.to.include(gateway.webhookSecret);
  });

  it('carries the request id from HTTP into the log lines of callbacks and notifications', async () => {
    const answer = await gateway.post(
      '/payments/h2h/11',
      cardBody('4111111111111111', '12.00', { notifyUrl: receiver.url }),
      {
        'X-Request-Id': 'shop-order-77',
      },
    );
    expect(answer.headers.get('x-request-id')).to.equal('shop-order-77');
    const { id } = answer.json.paymentRequest;
    await expectNotifications(id, ['payment.succeeded']);
    const lines = (): Record<string, unknown>[] =>
      gateway.logged.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === 'shop-order-77');
    // An attempt is logged once its result is written.
    await until('logged', async () => lines().some(({ notificationId }) => notificationId === `${id}-1`));
    expect(lines().filter(({ paymentRequestId }) => paymentRequestId === id).length).to.be.greaterThan(2);
  });
});
