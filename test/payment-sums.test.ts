/**
 * The sums of a payment add up by hand, and are the same wherever they are shown: console, export, commands, API,
 * portal, the payer's receipt, the report and the overview. So is the reason why a payment failed.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { until } from '../core/base/testing/until.ts';
import { runCommand } from '../core/cli/run-command.ts';
import { createPortalLinks } from '../core/engine/access/index.ts';
import { countVolumes } from '../core/engine/payments/index.ts';
import type { RunningServer } from '../core/http/index.ts';
import { cardBody } from './support/bodies.ts';
import { FormBrowser } from './support/form-browser.ts';
import { startProxy, type Proxy } from './support/proxy.ts';
import { refunds, toTestPayment, trigger, waitForChargeback, type TestPayment } from './support/scenarios.ts';
import { startConsole } from './support/start-console.ts';
import { root, startGateway, type Answer, type TestGateway } from './support/start-gateway.ts';

const approved = '4111111111111111';
const pendingForever = '4000000000003097';
/** The fee of a charge of 50.00 EUR is 0.90 EUR, of 30.00 EUR it is 0.62 EUR. */
const fee = { percent: '1.4', fixed: { EUR: '0.20' } };

/** Every payment is requested with 50.00 EUR. All sums are calculated by hand. */
interface Case {
  readonly title: string;
  readonly pay: () => Promise<TestPayment>;
  /** The tiles of the payment's page: label, figure and remark. */
  readonly page: readonly string[];
  /** Paid, fee, refunded, charged back and net, as the export has them. */
  readonly exported: readonly [paid: string, fee: string, refunded: string, chargedBack: string, net: string];
  /** The line about money of `payments show`. */
  readonly command: string;
  /** What lists say next to the requested amount. */
  readonly list: readonly string[];
  /** Gross, fee, net, refunded, refundable and disputed amount of the payment request. */
  readonly api: readonly [number, number, number, number, number, number];
  /** A refund of another charge may go to another card, so the receipt does not say where it goes. */
  readonly receipt: { readonly amount: string; readonly refunded?: string; readonly refundedTo?: string };
}

interface Failure {
  readonly title: string;
  readonly fail: () => Promise<TestPayment>;
  readonly reason: string;
  /** What the payer's page says. */
  readonly payer: string;
}

describe('the sums of a payment', function () {
  this.timeout(120_000);
  let gateway: TestGateway;
  let proxy: Proxy;
  let server: RunningServer;
  let operator: FormBrowser;
  let merchant: FormBrowser;
  let folder: string;
  let payers = 0;

  before(async () => {
    proxy = await startProxy();
    folder = await mkdtemp(join(tmpdir(), 'gateway-sums-'));
    gateway = await startGateway({
      adapters: ['provider-a', 'stripe'],
      worksLater: true,
      config({ adapters }) {
        adapters['provider-a'].options.sandboxBaseUrl = proxy.url;
        adapters['provider-a'].fee = fee;
        adapters['stripe'].options.captureMethod = 'manual';
        adapters['stripe'].fee = fee;
      },
    });
    proxy.target = gateway.sandboxes['provider-a']!;
    server = await startConsole(gateway);
    const { access, connection, httpDeps } = gateway.gateway;
    const { key } = await access.operators.create({ name: 'Ada', role: 'admin' });
    operator = new FormBrowser(`http://127.0.0.1:${server.port}`);
    await operator.post('/ops/sign-in', { key });
    const links = createPortalLinks({
      connection,
      encrypter: httpDeps.encrypter,
      publicUrl: gateway.url,
      now: httpDeps.now,
      log: pino({ level: 'silent' }),
    });
    const owner = { id: gateway.ownerId, name: 'demo' };
    const { url } = await links.create({ owner, environment: 'test', allowsRotation: false }, 'command ana');
    merchant = new FormBrowser(gateway.url);
    await merchant.get(url.slice(gateway.url.length));
    const own = { security: { encryptionKey: gateway.run.config.security.encryptionKey } };
    await writeFile(join(folder, 'own.yaml'), JSON.stringify(own));
  });
  after(async () => {
    await server.close(0);
    await gateway.close();
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Each payment has a payer of its own. */
  const body = (card = approved): string => {
    payers += 1;
    return cardBody(card, 50, { email: `payer${payers}@shop.example`, phoneNumber: `+3519123${10_000 + payers}` });
  };

  async function pay(path = '/payments/h2h/11', status = 2): Promise<TestPayment> {
    const payment = toTestPayment(gateway, await gateway.post(path, body()));
    await payment.waitForStatus(status);
    return payment;
  }

  async function payWith(card: string): Promise<TestPayment> {
    return toTestPayment(gateway, await gateway.post('/payments/h2h/11', body(card)));
  }

  /** The first attempt fails without a charge, the second one pays, and then the first one is charged after all. */
  async function payTwice(): Promise<TestPayment> {
    const { id } = (await gateway.post('/payment-requests', { amount: 50, unit: 'EUR' })).json.paymentRequest;
    const refusal = JSON.stringify({ error: { code: 'BUSY', charged: 'no' } });
    proxy.after = async ({ method }) => (method === 'POST' ? { status: 503, body: refusal } : undefined);
    await gateway.post(`/payments/creditCard/${id}`, body(pendingForever));
    proxy.after = async () => undefined;
    await gateway.post(`/payments/creditCard/${id}`, body());
    const answer = { headers: new Headers({ 'x-payment-request-id': String(id) }) } as Answer;
    const payment = toTestPayment(gateway, answer);
    await payment.waitForStatus(2);
    await trigger(payment, 'provider-a', 'CAPTURE:true', undefined, '50');
    await waitForStored(payment, { 'attempts.0.outcome': 'succeeded' });
    return payment;
  }

  async function waitForStored({ id }: TestPayment, filter: Readonly<Record<string, unknown>>): Promise<void> {
    const payments = gateway.gateway.connection.collection('paymentRequests');
    await until(
      JSON.stringify(filter),
      async () => (await payments.countDocuments({ ...filter, _id: id as never })) > 0,
    );
  }

  async function refundCharge(payment: TestPayment, attempt: number): Promise<TestPayment> {
    const path = `/ops/payments/${payment.id}`;
    const wanted = { charge: `GW-${payment.id}-${attempt}`, amount: '50' };
    const asked = await operator.press(await operator.get(path), `${path}/refund`, wanted);
    expect((await operator.press(asked, `${path}/refund`)).status).to.equal(303);
    await waitForStored(payment, { 'refunds.state': 'succeeded' });
    return payment;
  }

  async function dispute(payment: TestPayment, ...stages: readonly string[]): Promise<TestPayment> {
    for (const stage of stages) await trigger(payment, 'provider-a', `chargeback ${stage}`, undefined, '50');
    await waitForChargeback(payment);
    await waitForStored(payment, { 'disputeStages.stage': stages.at(-1) });
    return payment;
  }

  async function payAndRefund(amount: number): Promise<TestPayment> {
    const payment = await pay();
    await refunds(amount)(payment);
    await waitForStored(payment, { 'refunds.state': 'succeeded' });
    return payment;
  }

  /** After a double charge, whichever of the two was refunded. */
  const oneOfTwoRefunded = {
    page: [
      'Amount €50.00',
      'Paid €100.00 in 2 charges',
      'Refunded €50.00',
      'Fee €1.80',
      'Net €48.20 after fee, refunds and disputes',
      'Refundable €50.00',
    ],
    exported: ['100.00', '1.80', '50.00', '0.00', '48.20'],
    command:
      'paid 100.00 EUR, refunded 50.00 EUR, disputed 0.00 EUR, fee 1.80 EUR, net 48.20 EUR, left to refund 50.00 EUR',
    list: ['paid €100.00', 'refunded €50.00'],
  } as const;
  const cases: readonly Case[] = [
    {
      title: 'a plain payment',
      pay: async () => pay(),
      page: ['Paid €50.00', 'Fee €0.90', 'Net €49.10 after fee, refunds and disputes', 'Refundable €50.00'],
      exported: ['50.00', '0.90', '0.00', '0.00', '49.10'],
      command:
        'paid 50.00 EUR, refunded 0.00 EUR, disputed 0.00 EUR, fee 0.90 EUR, net 49.10 EUR, left to refund 50.00 EUR',
      list: [],
      api: [50, 0.9, 49.1, 0, 50, 0],
      receipt: { amount: '€50.00' },
    },
    {
      title: 'a payment that was refunded in part',
      pay: async () => payAndRefund(20),
      page: [
        'Paid €50.00',
        'Refunded €20.00',
        'Fee €0.90',
        'Net €29.10 after fee, refunds and disputes',
        'Refundable €30.00',
      ],
      exported: ['50.00', '0.90', '20.00', '0.00', '29.10'],
      command:
        'paid 50.00 EUR, refunded 20.00 EUR, disputed 0.00 EUR, fee 0.90 EUR, net 29.10 EUR, left to refund 30.00 EUR',
      list: ['refunded €20.00'],
      api: [50, 0.9, 49.1, 20, 30, 0],
      receipt: { amount: '€50.00', refunded: '€20.00', refundedTo: 'Visa ending in 1111' },
    },
    {
      title: 'a payment that was charged twice',
      pay: payTwice,
      page: [
        'Amount €50.00',
        'Paid €100.00 in 2 charges',
        'Fee €1.80',
        'Net €98.20 after fee, refunds and disputes',
        'Refundable €50.00 + €50.00 of charges 1 and 2',
      ],
      exported: ['100.00', '1.80', '0.00', '0.00', '98.20'],
      command:
        'paid 100.00 EUR, refunded 0.00 EUR, disputed 0.00 EUR, fee 1.80 EUR, net 98.20 EUR, left to refund 50.00 EUR of charge 1, 50.00 EUR of charge 2',
      list: ['paid €100.00'],
      api: [100, 1.8, 98.2, 0, 50, 0],
      receipt: { amount: '€50.00 + €50.00' },
    },
    {
      title: 'a payment that was charged twice and whose later charge was refunded',
      pay: async () => refundCharge(await payTwice(), 1),
      ...oneOfTwoRefunded,
      // The sums about refunds concern the first charge.
      api: [100, 1.8, 98.2, 0, 50, 0],
      receipt: { amount: '€50.00 + €50.00', refunded: '€50.00' },
    },
    {
      title: 'a payment that was charged twice and whose first charge was refunded',
      pay: async () => refundCharge(await payTwice(), 2),
      ...oneOfTwoRefunded,
      api: [100, 1.8, 98.2, 50, 0, 0],
      receipt: { amount: '€50.00 + €50.00', refunded: '€50.00', refundedTo: 'Visa ending in 1111' },
    },
    {
      title: 'a payment with an open dispute about money that was refunded in part before',
      pay: async () => dispute(await payAndRefund(20), 'opened'),
      page: [
        'Paid €50.00',
        'Refunded €20.00',
        'Disputed €50.00 holds €30.00: the rest was refunded before',
        'Fee €0.90',
        'Net −€0.90 after fee, refunds and disputes',
      ],
      exported: ['50.00', '0.90', '20.00', '30.00', '-0.90'],
      command:
        'paid 50.00 EUR, refunded 20.00 EUR, disputed 50.00 EUR (holds 30.00 EUR), fee 0.90 EUR, net -0.90 EUR, left to refund 0.00 EUR',
      list: ['refunded €20.00'],
      api: [50, 0.9, 49.1, 20, 0, 50],
      receipt: { amount: '€50.00', refunded: '€20.00', refundedTo: 'Visa ending in 1111' },
    },
    {
      title: 'a payment with a lost dispute',
      pay: async () => dispute(await pay(), 'opened', 'lost'),
      page: ['Paid €50.00', 'Charged back €50.00', 'Fee €0.90', 'Net −€0.90 after fee, refunds and disputes'],
      exported: ['50.00', '0.90', '0.00', '50.00', '-0.90'],
      command:
        'paid 50.00 EUR, refunded 0.00 EUR, disputed 50.00 EUR, fee 0.90 EUR, net -0.90 EUR, left to refund 0.00 EUR',
      list: [],
      api: [50, 0.9, 49.1, 0, 0, 50],
      receipt: { amount: '€50.00' },
    },
    {
      title: 'a payment that was captured in part',
      async pay() {
        const payment = await pay('/payments/h2h/21', 1);
        await waitForStored(payment, { 'attempts.authorisedAt': { $ne: null } });
        await gateway.post(`/payment-requests/${payment.id}/capture`, { amount: 30 });
        await payment.waitForStatus(2);
        return payment;
      },
      page: [
        'Amount €50.00',
        'Paid €30.00',
        'Fee €0.62',
        'Net €29.38 after fee, refunds and disputes',
        'Refundable €30.00',
      ],
      exported: ['30.00', '0.62', '0.00', '0.00', '29.38'],
      command:
        'paid 30.00 EUR, refunded 0.00 EUR, disputed 0.00 EUR, fee 0.62 EUR, net 29.38 EUR, left to refund 30.00 EUR',
      list: ['paid €30.00'],
      api: [30, 0.62, 29.38, 0, 30, 0],
      receipt: { amount: '€30.00' },
    },
  ];

  for (const { title, pay: make, page, exported, command, list, api, receipt } of cases) {
    it(`are right everywhere for ${title}`, async () => {
      const payment = await make();
      const id = String(payment.id);

      const shown = await operator.get(`/ops/payments/${id}`);
      expect(tilesOf(shown.text), 'page of the payment').to.deep.equal(page);
      const row = cellsOf((await operator.get(`/ops/payments?text=${id}`)).text, id);
      expect(row, 'list of the console').to.include('€50.00');
      expect(sumsIn(row), 'list of the console').to.deep.equal(list);
      const [line = ''] = (await operator.get(`/ops/payments?text=${id}&as=csv`)).text.split('\r\n').slice(1);
      expect(line, 'export of the console').to.contain(`,EUR,50.00,${exported.join(',')},`);

      const [, moneyLine] = (await run('payments', 'show', id)).split('\nMoney\n');
      expect(moneyLine?.split('\n')[0]?.trim(), 'payments show').to.equal(command);
      const found = await run('payments', 'find', id);
      const parts = found.trim().split('  ');
      expect(parts, 'payments find').to.include('50.00 EUR');
      const worded = list.map((text) => text.replace(/^(\w+) €(.*)$/, '$1 $2 EUR'));
      expect(
        parts.filter((part) => /^(paid|refunded) \d/.test(part)),
        'payments find',
      ).to.deep.equal(worded);
      expect(await run('payments', 'find', id, '--csv'), 'payments find --csv').to.contain(
        `,EUR,50.00,${exported.join(',')},`,
      );

      const view = await payment.view();
      const { grossAmount, feeAmount, netAmount, refundedAmount, refundableAmount, disputedAmount } = view;
      expect(
        [grossAmount, feeAmount, netAmount, refundedAmount, refundableAmount, disputedAmount],
        'payment request',
      ).to.deep.equal(api);
      const [paid, , refunded] = exported.map(Number) as [number, number, number];
      expect(view.client.totalDeposits, 'deposits of the client').to.equal(paid - refunded);

      const own = cellsOf((await merchant.get('/portal/payments')).text, id);
      expect(own, 'portal').to.include('€50.00');
      expect(sumsIn(own), 'portal').to.deep.equal(list);

      const ofMerchant = page.filter((tile) => !/^(Amount|Fee|Net)/.test(tile));
      const ownPage = await merchant.get(`/portal/payments/${id}`);
      expect(tilesOf(ownPage.text), 'page of the portal').to.deep.equal(ofMerchant);
      const [, story = ''] = ownPage.text.split('<ol class="timeline">');
      const paidSums = [...plain(story).matchAll(/(€[\d.]+) paid/g)].map(([, one]) => one);
      expect(paidSums.join(' + '), 'story of the portal').to.equal(receipt.amount);

      const { text } = await new FormBrowser(gateway.url).get(view.link.slice(gateway.url.length));
      const rows = new Map(
        [...text.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)].map(([, name, value]) => [name, plain(value!)]),
      );
      const shownAmount = rows.get('Amount charged') ?? rows.get('Amount');
      expect([shownAmount, rows.get('Refunded'), rows.get('Refunded to')], 'receipt').to.deep.equal([
        receipt.amount,
        receipt.refunded,
        receipt.refundedTo,
      ]);
    });
  }

  const failures: readonly Failure[] = [
    {
      title: 'a declined payment',
      fail: async () => payWith('4000000000009995'),
      reason: 'Insufficient funds (code 51)',
      payer: 'Insufficient funds. Try another card',
    },
    {
      // The provider reports the decline 05 as well, which no bank made.
      title: 'a payment whose 3D Secure failed',
      async fail() {
        const payment = await payWith('4000000000003220');
        await trigger(payment, 'provider-a', '3ds N', undefined, '50');
        return payment;
      },
      reason: '3D Secure failed: the payer was not authenticated.',
      payer: 'Your bank couldn’t verify that it was you',
    },
    {
      title: 'a declined attempt after one whose 3D Secure failed',
      async fail() {
        const { id } = (await gateway.post('/payment-requests', { amount: 50, unit: 'EUR' })).json.paymentRequest;
        const answer = { headers: new Headers({ 'x-payment-request-id': String(id) }) } as Answer;
        const payment = toTestPayment(gateway, answer);
        await gateway.post(`/payments/creditCard/${id}`, body('4000000000003220'));
        await trigger(payment, 'provider-a', '3ds N', undefined, '50');
        await payment.waitForStatus(3);
        await gateway.post(`/payments/creditCard/${id}`, body('4000000000009995'));
        await waitForStored(payment, { 'attempts.1.outcome': 'failed' });
        return payment;
      },
      reason: 'Insufficient funds (code 51)',
      payer: 'Insufficient funds. Try another card',
    },
    {
      title: 'a payment that no provider could process',
      async fail() {
        const refusal = JSON.stringify({ error: { code: 'BUSY', charged: 'no' } });
        proxy.before = async ({ method }) => (method === 'POST' ? { status: 503, body: refusal } : undefined);
        const payment = await payWith(approved);
        proxy.before = async () => undefined;
        return payment;
      },
      reason: 'The provider could not process it; nothing was charged.',
      payer: 'We couldn’t reach the bank.',
    },
  ];

  for (const { title, fail, reason, payer } of failures) {
    it(`are followed by the same reason everywhere for ${title}`, async () => {
      const payment = await fail();
      const { link } = await payment.waitForStatus(3);
      const id = String(payment.id);
      const note = `Failed: ${reason}`;
      const places = {
        'page of the payment': plain((await operator.get(`/ops/payments/${id}`)).text),
        'page of the portal': plain((await merchant.get(`/portal/payments/${id}`)).text),
        'payments show': (await run('payments', 'show', id)).replace('  failed:', 'Failed:'),
      };
      for (const [place, text] of Object.entries(places)) expect(text, place).to.contain(note);
      const lists = {
        'list of the console': cellsOf((await operator.get(`/ops/payments?text=${id}`)).text, id).join('|'),
        'list of the portal': cellsOf((await merchant.get('/portal/payments')).text, id).join('|'),
        'story of the portal': places['page of the portal'].split('Not paid').at(-1)!,
        'export of the console': (await operator.get(`/ops/payments?text=${id}&as=csv`)).text,
        'payments find': await run('payments', 'find', id),
        'payments find --csv': await run('payments', 'find', id, '--csv'),
      };
      for (const [place, text] of Object.entries(lists)) {
        expect(text, place).to.contain(reason);
        for (const { reason: other } of failures) if (other !== reason) expect(text, place).not.to.contain(other);
      }
      const { text } = await new FormBrowser(gateway.url).get(link.slice(gateway.url.length));
      expect(plain(text), 'page of the payer').to.contain(payer);
    });
  }

  it('add up to those of the report and the overview', async () => {
    const sum = cases.reduce((cents, { exported: [paid] }) => cents + Math.round(Number(paid) * 100), 0);
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const { json } = await gateway.get(`/reports/payments?from=${day(Date.now() - 86_400_000)}&to=${day(Date.now())}`);
    const paid = (json.items as { status: number; count: number; amount: string }[]).filter(
      ({ status }) => status === 2,
    );
    const total = paid.reduce((cents, { amount }) => cents + Math.round(Number(amount) * 100), 0);
    expect([paid.reduce((all, { count }) => all + count, 0), total]).to.deep.equal([cases.length, sum]);

    const { connection } = gateway.gateway;
    const now = (): Date => new Date();
    for (let isLeft = true; isLeft;)
      isLeft = (await countVolumes({ connection, adapters: ['provider-a', 'stripe'], now })).more;
    expect(tilesOf((await operator.get('/ops?span=day')).text).join('\n')).to.contain(
      `Volume in EUR €${(sum / 100).toFixed(2)} `,
    );
  });

  async function run(...words: readonly string[]): Promise<string> {
    const [out, problems]: [string[], string[]] = [[], []];
    const shell = {
      env: {
        GATEWAY_ENV: 'development',
        GATEWAY_DATA_DIR: join(folder, 'data'),
        GATEWAY_CONFIG: join(folder, 'own.yaml'),
        MONGODB_URI: gateway.run.config.database.uri!,
      },
      root,
      print: (line: string) => void out.push(line),
      stderr: (line: string) => void problems.push(line),
    };
    expect(await runCommand(words, shell), problems.join('\n')).to.equal(0);
    return out.join('\n');
  }
});

function plain(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function tilesOf(page: string): string[] {
  return [...page.matchAll(/<li class="stat[^>]*>(.*?)<\/li>/gs)].map(([, tile = '']) =>
    plain(tile).replaceAll(' :', ':'),
  );
}

/** The cells of the table row that names the payment. */
function cellsOf(page: string, id: string): string[] {
  const row = page.split('<tr').find((one) => one.includes('<td') && one.includes(id));
  return [...(row ?? '').matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => plain(cell));
}

/** For example `refunded €20.00`, for each sum in the cells. */
function sumsIn(cells: readonly string[]): string[] {
  return [...cells.join(' | ').matchAll(/(€[\d,.]+) (paid|refunded)/g)].map(([, sum, word]) => `${word} ${sum}`);
}
