/**
 * A wallet that charges at the payer's return, shown as a QR code or as a page, by a company's own adapter. Real
 * processes: API, worker, database and provider.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose, { type Connection } from 'mongoose';
import { loadConfig } from '../../config/load-config.ts';
import { until } from '../../core/base/testing/until.ts';
import { readQr } from '../../core/http/testing/read-qr.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import {
  endAll,
  runGateway,
  runningState,
  untilReady,
  type RunningGateway,
} from '../../workers/supervisor/testing/running-gateway.ts';
import { payer } from '../support/bodies.ts';
import { root } from '../support/start-gateway.ts';

const adapterCode = `
import { acknowledgeBy, defineAdapter, empty, genuine, invalidSignature, noInformation, onlyHeader, statusTable, text, unknown, v } from '@paywright/contract';
const Order = v.object({ id: v.string(), reference: v.string(), amount: v.string(), currency: v.string(), status: v.string(), page: v.string() });
const read = ({ body }) => v.parse(Order, JSON.parse(Buffer.from(body).toString()));
const isPhone = (order) => order.page.startsWith('http');
function actionOf({ page }) {
  return isPhone({ page })
    ? { type: 'redirect', method: 'GET', url: page, completesOnReturn: true, referrer: 'origin' }
    : { type: 'qr', text: page, app: 'Acme Wallet', expiry: '2036-03-01T10:10:10Z' };
}
function outcomeOf(order) {
  const providerReference = order.id;
  if (order.status === 'paid') return { outcome: 'succeeded', providerReference };
  if (order.status === 'cancelled') return { outcome: 'failed', cancelled: true, providerReference };
  return { outcome: 'pending', providerReference, action: actionOf(order) };
}
const eventOf = (order) => ({
  kind: 'payment', providerStatus: order.status, reference: order.reference, providerReference: order.id,
  amount: order.amount, currency: order.currency, dedupeKey: order.id + ':' + order.status,
  ...(order.status === 'created' && { action: actionOf(order) }),
  ...(order.status === 'approved' && isPhone(order) && { awaitsCompletion: true }),
});
const json = { 'Content-Type': 'application/json' };
export default defineAdapter({
  manifest: {
    name: 'wallet', title: 'Acme', code: 59, contract: '^2.1', inputs: ['billing'], currencies: 'any',
    ways: [{ method: 'ewallet_redirect', title: 'Acme Wallet', threeDs: 'by_other_means', payerFields: [], unfinishedStep: 'charges_nothing' }],
    options: v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string() }), declines: {}, idempotency: 'the reference',
    reconcile: { stepsSeconds: [3600], thenEverySeconds: 3600, giveUpAfterSeconds: 86400 },
  },
  async submit({ reference, paymentRequestId, money, browserInfo }, ctx) {
    const body = JSON.stringify({
      reference, ...money, device: browserInfo?.userAgent ?? '',
      returnUrl: ctx.returnUrl(paymentRequestId), cancelUrl: ctx.cancelUrl(paymentRequestId),
    });
    return outcomeOf(read(await ctx.http.send({ method: 'POST', path: '/orders', headers: json, body })));
  },
  async complete({ providerReference }, step, { http }) {
    const reply = await http.send({ method: 'POST', path: '/orders/' + providerReference + '/capture', headers: json, body: '{}' });
    return reply.status === 200 ? outcomeOf(read(reply)) : unknown('not captured');
  },
  async fetchStatus({ reference }, { http }) {
    const reply = await http.send({ method: 'GET', path: '/orders/' + reference });
    return reply.status === 200 ? { result: 'events', events: [eventOf(read(reply))] } : noInformation('no answer');
  },
  callbacks: [{
    path: 'wallet', method: 'POST', caller: 'server', reports: 'payments',
    verifySignature: (raw) => onlyHeader(raw, 'x-wallet') === 'yes' ? genuine(read(raw)) : invalidSignature('no mark'),
    parseCallback: ({ value }) => ({ events: [{ ...eventOf(value), ...(value.status !== 'paid' && { mustFetch: true }) }] }),
    acknowledge: acknowledgeBy({ accepted: text('noted'), invalid_signature: empty(401) }),
  }],
  mapStatus: statusTable({ payment: { created: 'pending', approved: 'pending', paid: 'succeeded', cancelled: 'cancelled' } }),
});
`;

interface Order {
  readonly id: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly page: string;
  readonly returnUrl: string;
  readonly cancelUrl: string;
  status: 'created' | 'approved' | 'paid' | 'cancelled';
  /** Requests to capture it, and how often money moved. */
  captures: number;
  charges: number;
  fetches: number;
  /** Its captures get no answer. */
  hangs: boolean;
}

/** The provider: orders by id, and the payer's decisions. */
async function startProvider() {
  const orders = new Map<string, Order>();
  const bodyOf = async (request: IncomingMessage): Promise<Record<string, string>> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, string>;
  };
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const send = (order: Order | undefined): void => {
        response.writeHead(order ? 200 : 404, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(order ?? {}));
      };
      const [, name = '', act] = /^\/orders(?:\/([^/]+))?(?:\/(capture))?$/.exec(request.url ?? '') ?? [];
      if (request.method === 'POST' && !act) return send(open(body));
      const order = [...orders.values()].find(({ id, reference }) => id === name || reference === name);
      if (order && act) {
        order.captures += 1;
        if (order.status === 'approved') {
          order.status = 'paid';
          order.charges += 1;
        }
        if (order.hangs) return undefined;
      } else if (order) order.fetches += 1;
      return send(order);
    });
  });
  function open(asked: Readonly<Record<string, string>>): Order {
    const { reference = '', amount = '', currency = '', device = '', returnUrl = '', cancelUrl = '' } = asked;
    const known = [...orders.values()].find((one) => one.reference === reference);
    if (known) return known;
    const id = `w-${orders.size + 1}`;
    const page = /iPhone/.test(device) ? `https://wallet.example/${id}` : `acme-wallet://pay/${id}`;
    const counts = { captures: 0, charges: 0, fetches: 0, hangs: false };
    const order: Order = { id, reference, amount, currency, page, returnUrl, cancelUrl, status: 'created', ...counts };
    orders.set(id, order);
    return order;
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orderOf: (paymentId: number, attempt = 1): Order =>
      [...orders.values()].find(({ reference }) => reference === `GW-${paymentId}-${attempt}`)!,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a wallet that charges at the payer’s return', function () {
  this.timeout(300_000);
  let folder: string;
  let data: string;
  let env: Record<string, string>;
  let gateway: RunningGateway;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let database: Connection;
  let url: string;
  let key: string;
  const uri = (): string => `${process.env['TEST_MONGODB_URI']?.replace(/\/\?/, `/wallet-return-${process.pid}?`)}`;

  before(async () => {
    provider = await startProvider();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'wallet-return-')));
    data = join(folder, 'data');
    const home = join(folder, 'node_modules', 'wallet');
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
    await writeFile(join(home, 'index.js'), adapterCode);
    await symlink(join(root, 'node_modules/@paywright'), join(folder, 'node_modules/@paywright'));
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'test' }, root });
    const options = { baseUrl: 'https://wallet.example', sandboxBaseUrl: provider.url };
    const adapters = {
      ...Object.fromEntries(Object.keys(config.adapters).map((name) => [name, { state: 'off' }])),
      wallet: { package: 'wallet', state: 'on', options },
    };
    const routes = [{ id: 1, when: { method: ['ewallet_redirect'] }, use: ['wallet'], fallback: false }];
    const file = join(folder, 'gateway.yaml');
    await writeFile(file, JSON.stringify({ adapters, routes, provider: { callTimeoutMs: 5000 } }));
    const port = await chooseFreePort();
    url = `http://127.0.0.1:${port}`;
    env = { GATEWAY_ENV: 'test', GATEWAY_CONFIG: file, MONGODB_URI: uri(), PORT: `${port}`, PUBLIC_URL: url };
    await start();
    const made = await runGateway(['keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json'], data, env).ended;
    ({ key } = JSON.parse(made.out) as { key: string });
    database = await mongoose.createConnection(uri()).asPromise();
  });
  after(async () => {
    gateway?.signalGroup('SIGTERM');
    await gateway?.ended;
    endAll();
    await database?.dropDatabase();
    await database?.close();
    await provider?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    gateway = runGateway(['start'], data, env);
    await untilReady(gateway);
  }
  async function kill(): Promise<void> {
    gateway.signalGroup('SIGKILL');
    await gateway.ended;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  async function call(path: string, body?: unknown): Promise<any> {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'application/json' };
    const answer = await fetch(`${url}${path}`, {
      headers,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: answer.status, ...((await answer.json()) as object) };
  }
  interface Payment {
    readonly id: number;
    readonly order: Order;
    readonly action: Readonly<Record<string, unknown>>;
  }
  const phone = { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' };
  async function pay(more: Readonly<Record<string, unknown>> = { browserInfo: phone }): Promise<Payment> {
    const { paymentRequest, action, warnings } = await call('/payments/h2h/59', {
      ...payer,
      amount: 25.9,
      unit: 'EUR',
      ...more,
    });
    expect(warnings).to.equal(undefined);
    return { id: paymentRequest.id, order: provider.orderOf(paymentRequest.id), action };
  }
  const view = async ({ id }: Pick<Payment, 'id'>) => call(`/payment-requests/${id}`);
  const waitForStatus = async (payment: Pick<Payment, 'id'>, wanted: number) =>
    until(`the status is ${wanted}`, async () => {
      const shown = await view(payment);
      return shown.paymentRequestStatusId === wanted && shown;
    });
  const open = async (address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(address, { redirect: 'manual', headers });
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  const stored = () => database.collection<{ _id: number; attempts: any[] }>('paymentRequests');
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  const attemptOf = async ({ id }: Pick<Payment, 'id'>, n = 1): Promise<any> =>
    (await stored().findOne({ _id: id }))?.attempts[n - 1];
  /** A page that reloads asks the provider at most every 5 s. This is that time later. */
  const endQuietTime = async ({ id }: Pick<Payment, 'id'>): Promise<unknown> =>
    stored().updateOne({ _id: id }, { $set: { 'attempts.$[].visitedAt': null }, $inc: { version: 1 } });
  const untilChecked = async (payment: Payment, checks: number): Promise<unknown> =>
    until('the visit was handled', async () => (await attemptOf(payment)).fetchesDone >= checks);
  const report = async (order: Order): Promise<number> => {
    const headers = { 'X-Wallet': 'yes', 'Content-Type': 'application/json' };
    return (await fetch(`${url}/callbacks/wallet`, { method: 'POST', headers, body: JSON.stringify(order) })).status;
  };

  it('is charged once for returns in two tabs and after the payment, without 3D Secure', async () => {
    const payment = await pay();
    const { order, action } = payment;
    expect(action).to.deep.equal({
      type: 'redirect',
      method: 'GET',
      url: order.page,
      completesOnReturn: true,
      referrer: 'origin',
    });
    expect(new URL(order.cancelUrl).href).to.equal(`${order.returnUrl}&cancelled=1`);
    order.status = 'approved';
    const pages = await Promise.all([open(order.returnUrl), open(order.returnUrl)]);
    expect(pages.map(({ status }) => status)).to.deep.equal([200, 200]);
    const paid = await waitForStatus(payment, 2);
    expect(paid).to.include({ threeDs: false, paymentMethodId: 9, grossAmount: 25.9, device: 'mobile' });
    await open(order.returnUrl);
    await report(order);
    expect([order.captures, order.charges]).to.deep.equal([1, 1]);
    expect((await attemptOf(payment)).steps).to.have.length(1);
  });

  it('is charged after a report of the wallet if the payer never returns, and not again when the payer does', async () => {
    const payment = await pay();
    payment.order.status = 'approved';
    expect(await report(payment.order)).to.equal(200);
    await waitForStatus(payment, 2);
    await endQuietTime(payment);
    await open(payment.order.returnUrl);
    expect([payment.order.captures, payment.order.charges]).to.deep.equal([1, 1]);
    const settled = await pay();
    settled.order.status = 'paid';
    await report(settled.order);
    await waitForStatus(settled, 2);
    await endQuietTime(settled);
    await open(settled.order.returnUrl);
    expect(settled.order.captures).to.equal(0);
  });

  it('waits again for a payer who returns without paying, and ignores a forged return', async () => {
    const payment = await pay();
    const { order } = payment;
    const forged = await open(order.returnUrl.replace(/r=.{4}/, 'r=AAAA'));
    expect(await forged.text()).to.include('The payment is being checked.');
    expect((await attemptOf(payment)).steps[0]).to.include({ takenAt: null });
    await open(order.returnUrl);
    await untilChecked(payment, 1);
    const { steps, outcome } = await attemptOf(payment);
    expect([order.captures, steps.length, steps[0].takenAt, outcome]).to.deep.equal([1, 1, null, 'open']);
    order.status = 'approved';
    await endQuietTime(payment);
    await open(order.returnUrl);
    await waitForStatus(payment, 2);
    expect([order.captures, order.charges]).to.deep.equal([2, 1]);
  });

  it('fails without a decline if the payer cancelled there, and its link offers to pay again', async () => {
    const { paymentRequest } = await call('/payment-requests', { amount: 25.9, unit: 'EUR' });
    const { id, link } = paymentRequest as { id: number; link: string };
    const payByLink = async (seen: number): Promise<Response> =>
      fetch(link, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'User-Agent': phone.userAgent },
        body: new URLSearchParams({ way: 'ewallet_redirect.wallet', attempts: String(seen) }),
      });
    expect((await payByLink(0)).status).to.equal(303);
    const order = provider.orderOf(id);
    order.status = 'cancelled';
    await open(order.returnUrl);
    const failed = await waitForStatus({ id }, 3);
    expect(failed).to.include({ transactionStatusId: 3 });
    expect(failed.lastLog).to.include({ code: '', message: 'the payer cancelled' });
    const page = await (await open(link)).text();
    expect(page).to.include('You cancelled the payment').and.include('value="ewallet_redirect.wallet"');
    expect(page).not.to.match(/declined|go through/);
    expect((await payByLink(1)).status).to.equal(303);
    const second = provider.orderOf(id, 2);
    second.status = 'approved';
    await open(second.returnUrl);
    await waitForStatus({ id }, 2);
    expect([order.charges, second.charges]).to.deep.equal([0, 1]);
  });

  it('completes nothing at the address of its cancel button, nor while that page waits', async () => {
    const payment = await pay();
    const { order } = payment;
    const page = await open(order.cancelUrl);
    const [, watch = ''] = /data-watch="([^"]*)"/.exec(await page.text()) ?? [];
    await untilChecked(payment, 1);
    await endQuietTime(payment);
    expect((await open(new URL(watch.replaceAll('&amp;', '&'), page.url).href)).status).to.equal(200);
    await untilChecked(payment, 2);
    expect(order).to.include({ captures: 0, fetches: 2 });
    expect((await attemptOf(payment)).steps[0]).to.include({ takenAt: null });
    order.status = 'approved';
    await endQuietTime(payment);
    await open(order.returnUrl);
    await waitForStatus(payment, 2);
    expect(order.charges).to.equal(1);
  });

  it('is not completed after the merchant cancelled it, nor for an attempt that was replaced', async () => {
    const payment = await pay();
    expect((await call(`/payment-requests/${payment.id}/cancel`, {})).status).to.equal(200);
    payment.order.status = 'approved';
    await endQuietTime(payment);
    await open(payment.order.returnUrl);
    expect(await view(payment)).to.include({ paymentRequestStatusId: 5 });
    expect(payment.order.captures).to.equal(0);

    const { paymentRequest } = await call('/payment-requests', { amount: 25.9, unit: 'EUR' });
    const { id, link } = paymentRequest as { id: number; link: string };
    for (const seen of [0, 1]) {
      const sent = await fetch(`${link}&other=1`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'User-Agent': phone.userAgent },
        body: new URLSearchParams({ way: 'ewallet_redirect.wallet', attempts: String(seen) }),
      });
      expect(sent.status).to.equal(303);
    }
    const [first, second] = [provider.orderOf(id, 1), provider.orderOf(id, 2)];
    first.status = 'approved';
    await open(first.returnUrl);
    await until('the return was handled', async () => (await attemptOf({ id }, 2)).fetchesDone >= 1);
    expect([first.captures, second.charges]).to.deep.equal([0, 0]);
    second.status = 'approved';
    await endQuietTime({ id });
    await open(second.returnUrl);
    await waitForStatus({ id }, 2);
    expect([first.charges, second.charges]).to.deep.equal([0, 1]);
  });

  it('shows a code to scan on a desktop, and is paid by a report of the wallet', async () => {
    const payment = await pay({});
    expect(payment.action).to.deep.equal({
      type: 'qr',
      text: payment.order.page,
      app: 'Acme Wallet',
      expiry: '2036-03-01T10:10:10Z',
    });
    const { link } = await view(payment);
    const page = await (await open(link as string)).text();
    expect(page).to.include('Scan with Acme Wallet').and.include(`href="${payment.order.page}"`);
    expect(readQr(page)).to.equal(payment.order.page);
    payment.order.status = 'paid';
    await report(payment.order);
    expect(await waitForStatus(payment, 2)).to.include({ threeDs: false, paymentMethodId: 9 });
  });

  it('is charged once if the gateway dies after it stored the return, or while it completes the payment', async () => {
    const [returned, called] = [await pay(), await pay()];
    returned.order.status = 'approved';
    called.order.status = 'approved';
    called.order.hangs = true;
    await open(called.order.returnUrl);
    await until('the capture is in progress', () => called.order.captures === 1);
    const { children } = await runningState(data);
    process.kill(children.find(({ name }) => name.startsWith('worker'))!.pid, 'SIGSTOP');
    await open(returned.order.returnUrl);
    expect((await attemptOf(returned)).steps[0].takenAt).not.to.equal(null);
    await kill();
    expect(returned.order.captures).to.equal(0);
    called.order.hangs = false;
    await start();
    await waitForStatus(returned, 2);
    await waitForStatus(called, 2);
    expect([returned.order.charges, called.order.charges]).to.deep.equal([1, 1]);
    expect(await view(called)).to.include({ threeDs: false, grossAmount: 25.9 });
  });
});
