/** Runs the merchant's client against a real gateway. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import {
  createClient,
  GatewayError,
  listAll,
  verifyWebhook,
  WebhookVerificationError,
} from '../../core/client/index.ts';
import type { CardOrder, GatewayClient } from '../../core/client/index.ts';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { root, startGateway, type TestGateway } from '../support/start-gateway.ts';

const runFile = promisify(execFile);

function cardOrder(number: string, more: Partial<CardOrder> = {}): CardOrder {
  const expiration = `12/${String(new Date().getUTCFullYear() + 3).slice(2)}`;
  return { ...payer, number, expiration, cvv: '737', amount: '25.90', unit: 'EUR', ...more };
}

describe('the merchant’s client', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let proxy: Proxy;
  let client: GatewayClient;
  before(async () => {
    gateway = await startGateway({ adapters: ['provider-a'] });
    receiver = await startReceiver();
    proxy = await startProxy();
    proxy.target = gateway.url;
    client = createClient({ baseUrl: gateway.url, apiKey: gateway.key });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
    await proxy.close();
  });

  it('pays, and reads the payment', async () => {
    const { paymentRequest } = await client.payH2h(11, cardOrder('4111111111111111', { referenceId: 'order-1001' }));
    const { paymentRequestStatusId, amount, grossAmount } = paymentRequest;
    expect([paymentRequestStatusId, amount, grossAmount]).to.deep.equal([2, '25.9', '25.9']);
    expect(await client.getPaymentRequest(paymentRequest.id)).to.deep.include({ id: paymentRequest.id, amount });
    const page = await client.listPaymentRequests({ query: { referenceId: 'order-1001', limit: 5 } });
    expect(page.items.map(({ id }) => id)).to.deep.equal([paymentRequest.id]);
  });

  it('reads every page of a list', async () => {
    for (const amount of ['1', '2', '3'])
      await client.createPaymentRequest({ amount, unit: 'EUR', referenceId: 'order-1003' });
    const found: string[] = [];
    const query = { referenceId: 'order-1003', limit: 2 };
    const all = listAll(async (page) => client.listPaymentRequests({ query: { ...query, ...page } }));
    for await (const { amount } of all) found.push(amount);
    expect(found).to.deep.equal(['3', '2', '1']);
  });

  it('reads the report as objects and as CSV', async () => {
    await client.createPaymentRequest({ amount: '0.1', unit: 'XAU' });
    const { items } = await client.reportPayments();
    const row = items.find(({ currency }) => currency === 'XAU') ?? expect.fail('the currency is not in the report');
    const csv = await client.reportPaymentsCsv({ query: { from: row.day } });
    expect(csv.split('\r\n')[0]).to.equal('day,providerId,methodId,currency,status,count,amount');
    expect(csv).to.include(`\r\n${row.day},0,0,XAU,0,1,0.1\r\n`);
  });

  it('keeps every digit of an amount', async () => {
    const { paymentRequest } = await client.createPaymentRequest({ amount: '0.000000000123456789', unit: 'BTC' });
    expect(paymentRequest.amount).to.equal('0.000000000123456789');
  });

  it('throws typed errors that are told apart by their code', async () => {
    const declined = await client.payH2h(11, cardOrder('4000000000009995')).catch((error: unknown) => error);
    if (!(declined instanceof GatewayError) || declined.problem.code !== 'PAY001') throw declined;
    const { declineCode, declineReason, paymentRequestId } = declined.problem.details;
    expect([declineCode, declineReason]).to.deep.equal(['51', 'insufficient funds']);
    expect(paymentRequestId).to.be.greaterThan(0);

    const wrong = await client.createPaymentRequest({ amount: '25,90', unit: 'EUR' }).catch((error: unknown) => error);
    if (!(wrong instanceof GatewayError) || wrong.problem.code !== 'VAL002') throw wrong;
    expect(wrong.problem.details.errors.map(({ field }) => field)).to.deep.equal(['amount']);
  });

  it('pays once when the response was lost', async () => {
    const keys: unknown[] = [];
    const lossy = createClient({
      baseUrl: proxy.url,
      apiKey: gateway.key,
      async fetch(url, init) {
        keys.push(new Headers(init?.headers).get('Idempotency-Key'));
        return fetch(url, init);
      },
    });
    let isLost = false;
    proxy.after = async () => {
      if (isLost) return;
      isLost = true;
      throw new Error('the connection breaks before the answer');
    };
    const { paymentRequest } = await lossy.payH2h(11, cardOrder('4111111111111111', { referenceId: 'order-1002' }));
    expect([isLost, keys.length, new Set(keys).size]).to.deep.equal([true, 2, 1]);
    const { items } = await client.listPaymentRequests({ query: { referenceId: 'order-1002' } });
    expect(items.map(({ id, logs }) => [id, logs.length])).to.deep.equal([[paymentRequest.id, 1]]);
  });

  it("verifies the gateway's notifications, before and after a rotation", async () => {
    const order = cardOrder('4111111111111111', { notifyUrl: receiver.url });
    const waitForNotification = async () => {
      const { paymentRequest } = await client.payH2h(11, order);
      const [received = expect.fail()] = await until('it is notified', async () => {
        const found = receiver.ofPayment(paymentRequest.id);
        return found.length > 0 && found;
      });
      return { ...received, paymentRequest };
    };
    const { body, headers, paymentRequest } = await waitForNotification();
    const notification = await verifyWebhook(body, headers, gateway.webhookSecret);
    if (notification.type !== 'payment.succeeded') expect.fail(notification.type);
    expect(notification.mode).to.equal('test');
    expect(notification.data.paymentRequest).to.include({ id: paymentRequest.id, amount: '25.9' });

    const forged = await verifyWebhook(body.replace('25.9', '2590'), headers, gateway.webhookSecret).catch(
      (error: unknown) => error,
    );
    expect(forged).to.be.instanceOf(WebhookVerificationError).and.include({ reason: 'invalid_signature' });

    const { webhookSecret: secret } = await gateway.gateway.access.owners.rotateSecret('demo', 'test');
    const later = await waitForNotification();
    for (const known of [gateway.webhookSecret, [secret, gateway.webhookSecret]])
      expect((await verifyWebhook(later.body, later.headers, known)).id).to.equal(later.json.id);
  });

  it('has a method for every call of the document', async () => {
    const { paths } = JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text());
    const operations = Object.values<Record<string, { operationId?: string; security?: object[] }>>(paths)
      .flatMap((item) => Object.values(item))
      .filter(({ security = [] }) => security.length > 0 && security.every((way) => 'apiKey' in way));
    // Skips the routes per provider, which one method serves, and the stream, which has no single response.
    const named = operations
      .map(({ operationId = '' }) => operationId)
      .filter((name) => !/^(payH2h\d+|streamNotifications)$/.test(name));
    expect(Object.keys(client)).to.have.members([...named, 'reportPaymentsCsv']);
  });

  it('makes a first call with the three lines of its README', async () => {
    const readme = await readFile(join(root, 'core/client/README.md'), 'utf8');
    const [, lines = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    expect(lines.trim().split('\n')).to.have.length(3);
    const folder = await mkdtemp(join(tmpdir(), 'merchant-'));
    try {
      await mkdir(join(folder, 'node_modules/@paywright'), { recursive: true });
      await symlink(join(root, 'core/client'), join(folder, 'node_modules/@paywright/client'));
      const program = `${lines.replace('http://127.0.0.1:8080', gateway.url)}\nconsole.log(paymentRequest.link);\n`;
      await writeFile(join(folder, 'first.mjs'), program);
      const { stdout } = await runFile(process.execPath, ['first.mjs'], {
        cwd: folder,
        env: { ...process.env, KEY: gateway.key },
      });
      expect((await fetch(stdout.trim())).status).to.equal(200);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
