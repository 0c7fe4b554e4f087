/**
 * A provider that gives each payment several ids, and that cannot send the money of some refunds. The service, its
 * workers and the commands run in processes of their own.
 */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose from 'mongoose';
import { loadConfig } from '../../config/load-config.ts';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import {
  endAll,
  runGateway,
  untilReady,
  type RunningGateway,
} from '../../workers/supervisor/testing/running-gateway.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { root } from '../support/start-gateway.ts';

/** Its ids follow from our reference. A callback carries the events as the adapter reports them. */
const orders = `
import { defineAdapter, genuine, invalidSignature, noInformation, onlyHeader, statusTable, utf8, v } from '@paywright/contract';
const same = (...names) => Object.fromEntries(names.map((name) => [name, name]));
export default defineAdapter({
  manifest: {
    name: 'orders', title: 'Orders', code: 59, contract: '^2.1', inputs: ['card'], currencies: 'any',
    ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: [] }],
    options: v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string() }), declines: {},
    reconcile: { stepsSeconds: [60], thenEverySeconds: 60, giveUpAfterSeconds: 600 }, idempotency: 'the reference',
  },
  async submit({ reference }) {
    const [order, authorisation] = ['O-' + reference, 'A-' + reference];
    const ids = { providerReference: order, providerReferences: { order, authorisation } };
    return { outcome: 'pending', authorised: true, ...ids };
  },
  async capture({ reference, providerReferences }) {
    const capture = 'C-' + reference;
    const ids = { providerReference: capture, providerReferences: { order: providerReferences.order, capture } };
    return { outcome: 'succeeded', ...ids };
  },
  async refund({ providerReferences }, { reference }) {
    if (!providerReferences.capture) return { outcome: 'unknown', reason: 'no capture is known' };
    return { outcome: 'pending', needsMerchant: true, reason: 'the card is closed', providerReference: 'R-' + reference };
  },
  fetchStatus: async () => noInformation('it reports by callbacks'),
  callbacks: [{
    path: 'orders', method: 'POST', caller: 'server', reports: 'everything',
    verifySignature: (raw) =>
      onlyHeader(raw, 'x-proof') === 'proof' ? genuine(JSON.parse(utf8(raw.body))) : invalidSignature('no proof'),
    parseCallback: ({ value }) => ({ events: [value] }),
  }],
  mapStatus: statusTable({
    payment: same('succeeded', 'authorised'), refund: same('succeeded', 'needs_merchant'), chargeback: same('opened'),
  }),
});
`;

interface Shown {
  readonly id: number;
  readonly transactionNumber: string | null;
  readonly paymentRequestStatusId: number;
  readonly refundedAmount: number;
  readonly refundableAmount: number;
  readonly chargedBack: boolean;
  readonly refunds: readonly Record<string, unknown>[];
}

describe('a provider that gives one payment several ids', function () {
  this.timeout(300_000);
  let folder: string;
  let env: Record<string, string>;
  let gateway: RunningGateway;
  let receiver: Receiver;
  let url: string;
  let key: string;
  const uri = (): string => `${process.env['TEST_MONGODB_URI']?.replace(/\/\?/, `/orders-${process.pid}?`)}`;
  const run = (...words: string[]): RunningGateway => runGateway(words, join(folder, 'data'), env);

  before(async () => {
    receiver = await startReceiver();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'orders-')));
    const home = join(folder, 'node_modules', 'orders');
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
    await writeFile(join(home, 'index.js'), orders);
    await symlink(join(root, 'node_modules/@paywright'), join(folder, 'node_modules/@paywright'));
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'test' }, root });
    const options = { baseUrl: 'https://orders.example', sandboxBaseUrl: 'http://127.0.0.1:9' };
    const adapters = {
      ...Object.fromEntries(Object.keys(config.adapters).map((name) => [name, { state: 'off' }])),
      orders: { package: 'orders', state: 'on', options },
    };
    const file = join(folder, 'gateway.yaml');
    await writeFile(file, JSON.stringify({ adapters, routes: [] }));
    const port = await chooseFreePort();
    url = `http://127.0.0.1:${port}`;
    env = { GATEWAY_ENV: 'test', GATEWAY_CONFIG: file, MONGODB_URI: uri(), PORT: `${port}`, WORKERS: '1' };
    gateway = run('start');
    await untilReady(gateway);
    const made = await run('keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json').ended;
    ({ key } = JSON.parse(made.out) as { key: string });
  });
  after(async () => {
    gateway.signalGroup('SIGTERM');
    await gateway.ended;
    endAll();
    await receiver.close();
    const connection = await mongoose.createConnection(uri()).asPromise();
    await connection.dropDatabase();
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function post(path: string, body: string): Promise<Shown> {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    return (JSON.parse(text) as { paymentRequest: Shown }).paymentRequest;
  }
  async function read(id: number): Promise<Shown> {
    const response = await fetch(`${url}/payment-requests/${id}`, { headers: { 'X-API-Key': key } });
    return (await response.json()) as Shown;
  }
  /** A callback of the provider that names none of our references. */
  async function report(event: object): Promise<void> {
    const facts = { reference: null, amount: '25.90', currency: 'EUR', dedupeKey: JSON.stringify(event) };
    const body = JSON.stringify({ ...facts, ...event });
    const response = await fetch(`${url}/callbacks/orders`, { method: 'POST', headers: { 'X-Proof': 'proof' }, body });
    expect(response.status).to.equal(200);
  }
  const untilShown = async (id: number, what: string, isShown: (shown: Shown) => boolean): Promise<Shown> =>
    until(what, async () => {
      const shown = await read(id);
      return isShown(shown) ? shown : undefined;
    });
  const notifiedOf = (id: number): string[] => receiver.ofPayment(id).map(({ json }) => json.type as string);

  async function capture(): Promise<Shown> {
    const body = cardBody('4111111111111111', '25.90', { notifyUrl: receiver.url });
    const { id } = await post('/payments/h2h/59', body);
    expect(await read(id)).to.include({ transactionNumber: `O-GW-${id}-1`, paymentRequestStatusId: 1 });
    return post(`/payment-requests/${id}/capture`, '{}');
  }

  it('shows the capture as its number, and binds callbacks that name any of the ids', async () => {
    const { id, transactionNumber } = await capture();
    expect(transactionNumber).to.equal(`C-GW-${id}-1`);

    const refund = { kind: 'refund', providerStatus: 'succeeded', amount: '5.00', subReference: `X-${id}` };
    await report({ ...refund, providerReference: `C-GW-${id}-1` });
    await untilShown(id, 'the refund of the capture counts', ({ refundedAmount }) => refundedAmount === 5);
    await report({ kind: 'chargeback', providerStatus: 'opened', providerReference: `A-GW-${id}-1` });
    await untilShown(id, 'the dispute about the authorisation counts', ({ chargedBack }) => chargedBack);

    // Late messages about the order change nothing, and a second capture of the order is refused.
    const order = `O-GW-${id}-1`;
    await report({ kind: 'payment', providerStatus: 'authorised', providerReference: order });
    const second = { order, capture: `C2-${id}` };
    await report({
      kind: 'payment',
      providerStatus: 'succeeded',
      providerReference: second.capture,
      providerReferences: second,
    });
    const { out } = await until('the second capture is refused', async () => {
      const shown = await run('payments', 'show', String(id)).ended;
      return shown.out.includes('another provider reference') ? shown : undefined;
    });
    expect(out)
      .to.contain(`provider reference C-GW-${id}-1, order ${order}, authorisation A-GW-${id}-1`)
      .and.to.contain('event_without_effect');
    expect(await read(id)).to.include({ transactionNumber: `C-GW-${id}-1`, paymentRequestStatusId: 2 });
    const found = await run('payments', 'find', order, '--json').ended;
    expect(found.out).to.contain(`"id":${id}`);
  });

  it('holds a refund that the merchant must send until an operator records its result', async () => {
    const { id } = await capture();
    const [refund] = (await post(`/payment-requests/${id}/refund`, '{"amount":10}')).refunds;
    const ours = `GW-${id}-1-R1`;
    expect(refund).to.include({ id: ours, status: 'needs_merchant', failureReason: 'the card is closed', amount: 10 });
    expect(await read(id)).to.include({ refundedAmount: 0, refundableAmount: 15.9 });
    await until('the merchant is notified', () => notifiedOf(id).includes('payment.refund_needs_merchant'));

    const shown = await run('payments', 'show', String(id)).ended;
    expect(shown.out).to.contain(`paywright payments refund --settle ${ours} succeeded|failed`);
    const alarms = await run('alarms', 'list').ended;
    expect(alarms.out).to.contain('refund_needs_merchant').and.to.contain(`refund ${ours}: the card is closed`);

    const asked = await run('payments', 'refund', '--settle', ours, 'succeeded').ended;
    expect(asked.code).to.equal(2);
    expect(asked.problems.join('\n')).to.contain(
      `This records that the merchant has sent the money of refund ${ours} of €10.00. The provider is not called.`,
    );
    const settle = ['payments', 'refund', '--settle', ours, 'succeeded', '--yes', '--reason', 'bank transfer'];
    const settled = await run(...settle).ended;
    expect(settled.code, settled.problems.join('\n')).to.equal(0);
    const again = await run(...settle).ended;
    expect(again.problems.join('\n')).to.contain('only a refund that needs the merchant can be settled');

    // The provider sends the money after all: it is the same refund.
    const late = { kind: 'refund', providerStatus: 'succeeded', amount: '10.00', subReference: `R-${ours}` };
    await report({ ...late, providerReference: `C-GW-${id}-1` });
    const state = await untilShown(id, 'the refund is shown as done', ({ refundedAmount }) => refundedAmount === 10);
    expect(state.refunds.map(({ status, amount }) => [status, amount])).to.deep.equal([['succeeded', 10]]);
    await until('the merchant is notified', () => notifiedOf(id).includes('payment.partially_refunded'));
    const about = notifiedOf(id).filter((type) => type === 'payment.refund_needs_merchant');
    expect(about).to.have.length(1);
    const audit = await run('audit', 'list', '--subject', `payment:${id}`, '--json').ended;
    const { items } = JSON.parse(audit.out) as { items: Record<string, unknown>[] };
    expect(items.map(({ act, state: result, reason }) => [act, result, reason])).to.deep.include([
      'payment.settle_refund',
      'done',
      'bank transfer',
    ]);
  });
});
