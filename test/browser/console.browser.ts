/**
 * The operators' console in a real browser: every page at desktop and phone width, light and dark, and every action.
 */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { hostModel } from '../../core/database/collections/host.ts';
import { settlementRunModel } from '../../core/database/collections/settlement-run.ts';
import { trafficModel } from '../../core/database/collections/traffic.ts';
import type { RunningServer } from '../../core/http/index.ts';
import type { RunReplay } from '../../core/console/index.ts';
import { until } from '../../core/base/testing/until.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';
import { jobDocuments } from '../../core/engine/jobs/recurring-jobs.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startConsole } from '../support/start-console.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';
import {
  expectAccessible,
  expectGoodPage,
  expectNoOverflow,
  launchBrowser,
  looks,
  openPage,
  takeScreenshot,
} from './browser.ts';

const approved = '4111111111111111';
/** The differences of a candidate on stored callbacks, as `paywright replay` prints them. */
const replayed: Awaited<ReturnType<RunReplay>> = {
  read: 214,
  different: 1,
  unreadable: 0,
  callbacks: [
    {
      id: 'b1946ac92492d2347c6235b4d2611184',
      receivedAt: '2026-01-02T03:04:05.000Z',
      path: 'providerA',
      before: ['payment | pending | on_hold | GW-10001-1 | PA-1 | – | 25.90 | EUR | PA-1-on_hold | –'],
      after: ['payment | failed | on_hold | GW-10001-1 | PA-1 | – | 25.90 | EUR | PA-1-on_hold | issuer_declined'],
    },
  ],
};

describe('the console in a browser', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let server: RunningServer;
  let browser: Browser;
  let key: string;
  let paid: TestPayment;
  let letter: string;
  /** A dead-letter callback refers to this payment. */
  let affected: TestPayment;
  /** Two attempts of this payment charged. */
  let twice: TestPayment;
  let session: Awaited<ReturnType<Awaited<ReturnType<typeof openPage>>['context']['storageState']>>;

  before(async () => {
    browser = await launchBrowser();
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'], worksLater: true });
    server = await startConsole(gateway, undefined, async () => replayed);
    key = (await gateway.gateway.access.operators.create({ name: 'Ada Lovelace', role: 'admin' })).key;
    paid = await pay(approved, '25.90', 'order-1001');
    await gateway.post(`/payment-requests/${paid.id}/refund`, { amount: 5 });
    await pay(approved, '120', 'order-1002');
    await pay('4000000000000002', '74.5', 'order-1003');
    await pay('4000000000003220', '12', 'order-1004');
    await gateway.post('/payment-requests', { amount: 9.99, unit: 'EUR', referenceId: 'order-1005' });
    await makeTrouble();
    const { page, context, close } = await openPage(browser);
    await signIn(page);
    await page.goto(at(`/ops/payments/${paid.id}`));
    await page.getByRole('button', { name: 'Check status now' }).click();
    await sees(page, 'Recorded in the audit log.');
    session = await context.storageState();
    await close();
  });
  after(async () => {
    await browser?.close();
    await server?.close(0);
    await gateway?.close();
    await receiver?.close();
  });

  const at = (path: string): string => `http://127.0.0.1:${server.port}${path}`;

  async function pay(card: string, amount: string, referenceId: string): Promise<TestPayment> {
    const body = cardBody(card, amount, { referenceId, notifyUrl: receiver.url });
    return toTestPayment(gateway, await gateway.post('/payments/h2h/11', body));
  }

  /** Creates an operator's bad day: alarms, a dead letter, an exhausted notification, hosts, an hour of traffic. */
  async function makeTrouble(): Promise<void> {
    const { connection, alarms } = gateway.gateway;
    const inbox = connection.collection<{ _id: string }>('inbox');
    const isApplied = { 'events.paymentRequestId': paid.id, state: 'done' };
    await until('a callback is applied', async () => (await inbox.countDocuments(isApplied)) > 0);
    const other = await pay(approved, '31', 'order-1006');
    affected = other;
    const own = { 'events.paymentRequestId': other.id, state: 'done' };
    await until('another one is applied', async () => (await inbox.countDocuments(own)) > 0);
    letter = (await inbox.findOne(own))!._id;
    const dead = { state: 'dead_letter', 'events.0.note': 'no payment request of this reference' };
    await inbox.updateOne({ _id: letter }, { $set: dead, $unset: { dueAt: 1 } });
    const notifications = connection.collection('notifications');
    await until('all are notified', async () => (await notifications.countDocuments({ state: 'waiting' })) === 0);
    await notifications.updateOne({ paymentRequestId: other.id }, { $set: { state: 'exhausted' } });
    alarms.raise('callback_dead_letter', { type: 'callback', id: letter }, 'no payment request of this reference');
    alarms.raise('payment_unresolved', { type: 'payment', id: String(paid.id) }, 'attempt 1 at provider-a');
    alarms.raise('status_unknown', { type: 'adapter', id: 'provider-a' }, 'payment status on_hold');
    await until('alarms are raised', async () => (await alarms.list(10)).length >= 3);
    const row = (await inbox.findOne(own))!;
    const dueAt = new Date(Date.now() + 10 * MINUTE);
    await inbox.insertOne({ ...row, _id: 'waits-for-a-while', state: 'waiting', tries: 4, dueAt } as never);
    twice = await pay(approved, '77.7', 'order-1007');
    const payments = connection.collection<{ _id: number }>('paymentRequests');
    const found = (await payments.findOne({ _id: twice.id })) as unknown as { attempts: readonly object[] };
    const second = { ...found.attempts[0], n: 2, reference: `GW-${twice.id}-2`, providerReference: 'A-SECOND' };
    await payments.updateOne({ _id: twice.id }, { $set: { attempts: [...found.attempts, second] } });
    await gateway.gateway.access.owners.setDefaults('demo', { testNotifyUrl: receiver.url });
    await makeSettlement(other.id);
    const now = new Date();
    await hostModel(connection).create({
      _id: 'gateway-1 0',
      hostname: 'gateway-1',
      startedAt: new Date(now.getTime() - 90 * MINUTE),
      seenAt: now,
      workers: 2,
      processes: ['api-1', 'api-2', 'worker-1', 'worker-2', 'ops'],
      processStates: [
        { title: 'API 1', name: 'api-1', state: 'up', silentMs: 400 },
        { title: 'API 2', name: 'api-2', state: 'starting', silentMs: 120 },
        { title: 'Worker 1', name: 'worker-1', state: 'up', silentMs: 800 },
        { title: 'Worker 2', name: 'worker-2', state: 'unresponsive', silentMs: 4300 },
        { title: "The operators' listener", name: 'ops', state: 'up', silentMs: 300 },
      ],
      tokenSecrets: [],
      adapters: [{ name: 'provider-a', version: '0.1.0' }],
    });
    await connection.collection('adapterRuns').insertOne({
      _id: 'worker-1' as never,
      version: 0,
      problem: '',
      refused: null,
      at: new Date(now.getTime() + MINUTE),
    });
    const first = Math.floor(now.getTime() / MINUTE) * MINUTE - 60 * MINUTE;
    await trafficModel(connection).insertMany(
      Array.from({ length: 60 }, (_, minute) => {
        const busy = Math.round(30 + 20 * Math.sin(minute / 6) + (minute % 5));
        return {
          _id: `gateway-1 ${minute}`,
          at: new Date(first + minute * MINUTE),
          ages: { inbox: busy % 7, pings: 0, reconcile: busy * 2, notifications: busy, outbox: 1 },
          counts: {
            'callbacks|provider-a|accepted': busy * 2,
            'submissions|provider-a|succeeded': busy,
            'deliveries|delivered': busy * 3,
            'ended|provider-a|succeeded': busy,
            'ended|provider-a|failed': Math.round(busy / 12),
            'calls|provider-a|2xx': busy,
            'calls|provider-a|5xx': minute % 7 === 0 ? 1 : 0,
            'callsWithin|provider-a|250': Math.round(busy * 0.9),
            'callsWithin|provider-a|500': busy,
            'callsWithin|provider-a|more': busy,
          },
        };
      }),
    );
    await jobDocuments(connection).insertOne({
      name: 'reconcile',
      type: 'single',
      repeatInterval: 5 * SECOND,
      nextRunAt: new Date(now.getTime() + MINUTE),
      lockedAt: null,
    } as never);
  }

  async function makeSettlement(paymentId: number): Promise<void> {
    const now = new Date();
    const difference = {
      line: 3,
      paymentId,
      reference: `GW-${paymentId}-1`,
      providerReference: 'PA-77',
      hereAmount: '31',
      hereCurrency: 'EUR',
      thereAmount: '30',
      thereCurrency: 'EUR',
      note: null,
    } as const;
    await settlementRunModel(gateway.gateway.connection).create({
      _id: 'march',
      adapter: 'provider-a',
      environment: 'live',
      file: 'march.csv',
      by: 'ada',
      startedAt: now,
      endedAt: now,
      from: new Date(now.getTime() - 60 * MINUTE),
      to: now,
      rows: 120,
      ignoredRows: 2,
      agreeing: 116,
      comparesFees: false,
      counts: { amount: 1, missing_here: 1 },
      differenceCount: 2,
      differences: [
        { ...difference, kind: 'amount', row: 'payment' },
        {
          ...difference,
          kind: 'missing_here',
          row: 'refund',
          line: 9,
          paymentId: null,
          hereAmount: null,
          hereCurrency: null,
          note: 'no payment has these references',
        },
      ],
      span: 'march',
      isLatest: true,
      expireAt: new Date(now.getTime() + 60 * MINUTE),
    });
  }

  async function signIn(page: Page): Promise<void> {
    await page.goto(at('/ops'));
    await page.getByLabel("Operator's key").fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }

  const open = async (path: string, options: BrowserContextOptions = {}) => {
    const opened = await openPage(browser, { ...options, storageState: session });
    await opened.page.goto(at(path));
    return opened;
  };
  const sees = async (page: Page, text: string | RegExp): Promise<void> =>
    page.getByText(text).first().waitFor({ state: 'visible' });
  const press = async (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).first().click();

  const pages: Readonly<Record<string, () => string>> = {
    now: () => '/ops',
    payments: () => '/ops/payments?sort=-amount',
    'payments-none': () => '/ops/payments?text=unmatched',
    'payments-wrong': () => '/ops/payments?amount=x',
    payment: () => `/ops/payments/${paid.id}`,
    'charged-twice': () => `/ops/payments/${twice.id}`,
    'no-payment': () => '/ops/payments/1',
    checks: () => '/ops/checks',
    callbacks: () => '/ops/callbacks',
    inbox: () => '/ops/callbacks?state=waiting',
    callback: () => `/ops/callbacks/${letter}`,
    'dead-letter-payment': () => `/ops/payments/${affected.id}`,
    notifications: () => '/ops/notifications',
    exhausted: () => '/ops/notifications?state=exhausted',
    notification: () => `/ops/notifications/${paid.id}-1`,
    processed: () => '/ops/callbacks?state=done',
    refused: () => '/ops/callbacks/refused',
    alarms: () => '/ops/alarms',
    alarm: () => `/ops/alarms/${encodeURIComponent(`payment_unresolved:payment:${paid.id}`)}`,
    jobs: () => '/ops/jobs',
    adapters: () => '/ops/adapters',
    adapter: () => '/ops/adapters/provider-a',
    account: () => '/ops/adapters/accounts/provider-a',
    'account-new': () => '/ops/adapters/provider-a/accounts/new',
    merchants: () => '/ops/merchants',
    merchant: () => `/ops/merchants/${gateway.ownerId}`,
    'merchant-new': () => '/ops/merchants/new',
    'merchant-keys': () => `/ops/merchants/${gateway.ownerId}?tab=keys`,
    'merchant-webhooks': () => `/ops/merchants/${gateway.ownerId}?tab=webhooks`,
    'merchant-branding': () => `/ops/merchants/${gateway.ownerId}?tab=branding`,
    'merchant-portal': () => `/ops/merchants/${gateway.ownerId}?tab=portal`,
    settlement: () => '/ops/settlement',
    'settlement-new': () => '/ops/settlement/new',
    'settlement-run': () => '/ops/settlement/march',
    nowhere: () => '/ops/nowhere',
    audit: () => '/ops/audit',
  };
  for (const [name, path] of Object.entries(pages)) {
    for (const [look, options] of Object.entries(looks)) {
      it(`shows ${name} at ${look} without accessibility findings or overflow`, async () => {
        const { page, close } = await open(path(), options);
        await expectGoodPage(page, `console/${name}-${look}`);
        await close();
      });
    }
  }

  it('asks for a key, and says what is wrong with it', async () => {
    // Signing out ends every session of the key.
    const { key: own } = await gateway.gateway.access.operators.create({ name: 'Ada Lovelace', role: 'admin' });
    const { page, close } = await openPage(browser);
    await page.goto(at(`/ops/payments/${paid.id}`));
    await page.getByLabel("Operator's key").fill(`gk_ops_${'x'.repeat(43)}`);
    await press(page, 'Sign in');
    await sees(page, 'unknown');
    await takeScreenshot(page, 'console/sign-in');
    await expectAccessible(page, 'sign in');
    await page.getByLabel("Operator's key").fill(own);
    await press(page, 'Sign in');
    await page.getByRole('heading', { name: `Payment ${paid.id}` }).waitFor();
    await press(page, 'Sign out');
    await page.getByLabel("Operator's key").waitFor();
    await close();
  });

  it('shows the same without script', async () => {
    const { page, close } = await open('/ops', { javaScriptEnabled: false });
    await page.locator('summary', { hasText: 'Service: throughput' }).click();
    await sees(page, 'in the last full minute');
    expect(await page.locator('[data-live-pause]').isVisible()).to.equal(false);
    await page.locator('summary', { hasText: 'Success rate and latency' }).click();
    expect(await page.getByRole('img', { name: /^Latency p95 by provider/ }).isVisible()).to.equal(true);
    await close();
  });

  it('finds a payment with the keyboard, sorts, and exports', async () => {
    const { page, close } = await open('/ops/payments');
    await page.getByLabel('Search', { exact: true }).fill('order-1003');
    await page.keyboard.press('Enter');
    await sees(page, '€74.50');
    await page.goto(at('/ops/payments'));
    await page.getByRole('link', { name: 'Amount' }).click();
    expect(await page.locator('th[aria-sort=ascending]').textContent()).to.contain('Amount');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).to.match(/^payments-[\d-]+\.csv$/);
    await close();
  });

  it('sorts and exports each table of a page separately', async () => {
    const { page, close } = await open('/ops');
    await page.locator('summary', { hasText: 'Waiting work by queue' }).click();
    const queues = page.getByRole('region', { name: 'Waiting work by queue' });
    await queues.getByRole('link', { name: 'Queue' }).click();
    await page.waitForURL(/queues\.sort=queue#table-queues$/);
    await queues.getByRole('link', { name: 'Queue' }).click();
    expect(await queues.locator('th[aria-sort=descending]').textContent()).to.contain('Queue');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV: Waiting work by queue' }).click(),
    ]);
    expect(download.suggestedFilename()).to.match(/^now-queues-[\d-]+\.csv$/);
    await close();
  });

  it('is usable with only the keyboard, from one section to an action', async () => {
    const { page, close } = await open('/ops');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('content');
    await page.getByRole('link', { name: 'Jobs' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await page.getByRole('button', { name: 'Run now' }).first().focus();
    await page.keyboard.press('Enter');
    await sees(page, 'Recorded in the audit log.');
    await close();
  });

  it('shows that an action is in progress, and sends its form once', async () => {
    const { page, close } = await open('/ops/jobs');
    // The page stays, as while the response is pending.
    await page.evaluate(
      'sent = 0; addEventListener("submit", (event) => { sent += event.defaultPrevented ? 0 : 1; event.preventDefault(); })',
    );
    await press(page, 'Run now');
    const busy = page.getByRole('button', { name: 'One moment…' });
    await busy.click();
    expect(await page.evaluate('sent')).to.equal(1);
    expect(await busy.locator('..').getAttribute('aria-busy')).to.equal('true');
    await close();
  });

  it('cuts neither the digits nor the reason of a payment in the list', async () => {
    const { page, close } = await open('/ops/payments');
    for (const width of [1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const cells = page.locator('td[data-label="Paid with"], td[data-label="Status"]');
      expect(await cells.count()).to.be.above(0);
      const cut = await cells.evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map(({ textContent }) => textContent),
      );
      expect(cut, `${width} px`).to.deep.equal([]);
    }
    await close();
  });

  it('cancels a payment after confirmation', async () => {
    const { id } = (await gateway.post('/payment-requests', { amount: 5, unit: 'EUR' })).json.paymentRequest;
    const { page, close } = await open(`/ops/payments/${id}`);
    await page.locator('summary', { hasText: 'Cancel payment…' }).click();
    await page.getByLabel('Reason').fill('ordered twice');
    await press(page, 'Cancel payment');
    await sees(page, 'can no longer be paid');
    await press(page, 'Cancel payment');
    await sees(page, 'cancelled');
    await close();
  });

  it('tries a candidate of an adapter, and shows the differences', async () => {
    const { page, close } = await open('/ops/adapters/provider-a');
    await page.getByText('Test a new version of the adapter').click();
    await page.getByLabel('Candidate package').fill('@next/provider-a');
    await press(page, 'Test the candidate');
    await sees(page, 'This runs @next/provider-a on this host');
    await press(page, 'Start the test');
    await sees(page, '214');
    await takeScreenshot(page, 'console/replay');
    await expectAccessible(page, 'replay');
    await expectNoOverflow(page, 'replay');
    await close();
  });

  it("sends a test event to a merchant's address, disables and enables it", async () => {
    const { page, close } = await open(`/ops/merchants/${gateway.ownerId}?tab=webhooks`);
    await press(page, 'Send a test event');
    await sees(page, /Test event delivered\. \S+ answered: HTTP 2\d\d/);
    await press(page, 'Disable');
    await sees(page, 'except test events');
    await press(page, 'Disable');
    await sees(page, 'disabled');
    await takeScreenshot(page, 'console/endpoint-disabled');
    await expectAccessible(page, 'endpoint disabled');
    await press(page, 'Enable');
    await sees(page, 'Recorded in the audit log.');
    await close();
  });

  it('changes the limit of a key, rotates it and a webhook secret, and sets what payers see', async () => {
    const { page, close } = await open(`/ops/merchants/${gateway.ownerId}?tab=keys`);
    const done = async (): Promise<void> => sees(page, 'Recorded in the audit log.');
    const go = async (tab: string): Promise<void> => page.getByRole('link', { name: tab, exact: true }).click();
    await page.getByText('Change', { exact: true }).first().click();
    await page.getByLabel('Rate limit (per minute)').first().fill('700');
    await press(page, 'Limit');
    await sees(page, /to 700 requests per minute/);
    await press(page, 'Limit');
    await done();
    await page.getByText('Change', { exact: true }).first().click();
    await press(page, 'Rotate');
    await press(page, 'Rotate key');
    await sees(page, 'Old key valid until');
    await page.getByRole('link', { name: 'Done' }).click();
    await go('Webhooks');
    await press(page, 'Rotate the webhook secret');
    await press(page, 'Rotate secret');
    await sees(page, /^whsec_/);
    await expectAccessible(page, 'a new secret');
    await page.getByRole('link', { name: 'Done' }).click();
    await go('Branding');
    await page.getByLabel('Name shown to payers').fill('Rua do Ouro');
    await page.getByLabel('Colour').fill('#0b7443');
    await page.getByRole('img', { name: 'The payer’s page' }).getByText('Rua do Ouro').waitFor();
    expect(await page.locator('.preview .accent').last().getAttribute('fill'), 'while it is typed').to.equal('#0b7443');
    await press(page, 'Save branding');
    await done();
    expect(await page.getByLabel('Name shown to payers').inputValue()).to.equal('Rua do Ouro');
    await go('Portal');
    await press(page, 'Create link');
    await sees(page, /portal\/open\?link=/);
    await page.getByRole('link', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).last().click();
    await done();
    await close();
  });

  it('refunds a payment after confirmation, and adds a note', async () => {
    const { page, close } = await open(`/ops/payments/${paid.id}`);
    await page.locator('summary', { hasText: 'Refund…' }).click();
    await page.getByLabel(/^Amount \(at most/).fill('1.50');
    await press(page, 'Refund');
    await page.getByRole('heading', { name: /^Refund €1\.50 to .+ \(Visa …1111\)\?$/ }).waitFor();
    await page.getByText('order-1001', { exact: true }).waitFor();
    await sees(page, 'It cannot be undone.');
    await takeScreenshot(page, 'console/sure');
    await expectAccessible(page, 'are you sure');
    await press(page, 'Refund €1.50');
    await sees(page, 'Recorded in the audit log.');
    await page.getByLabel('Note').fill('the bank sent a letter');
    await press(page, 'Add note');
    await sees(page, 'Note added.');
    await page.getByRole('button', { name: 'Check status now' }).click();
    await sees(page, 'Recorded in the audit log.');
    await close();
  });

  it('refunds the chosen charge of a payment that was charged twice', async () => {
    const { page, close } = await open(`/ops/payments/${twice.id}`);
    await sees(page, 'one of its charges, 77.70 EUR: “Refund”');
    const charges = page.getByLabel('Charge to refund');
    expect(await charges.inputValue()).to.equal(`GW-${twice.id}-2`);
    expect(await page.getByLabel(/^Amount \(at most/).inputValue()).to.equal('77.70');
    await charges.selectOption(`GW-${twice.id}-1`);
    await press(page, 'Refund');
    await sees(page, `Only the charge GW-${twice.id}-1 at Provider A is refunded.`);
    await press(page, 'Refund €77.70');
    const refunds = page.getByRole('region', { name: 'Refunds of this payment' });
    await refunds.getByRole('cell', { name: `Refund of €77.70 succeeded (GW-${twice.id}-1-R1)` }).waitFor();
    await close();
  });

  it('applies a dead letter again, and discards one', async () => {
    const { page, close } = await open('/ops/callbacks');
    await page.locator(`main a[href="/ops/callbacks/${letter}"]`).click();
    await page.getByLabel('Reason').first().fill('the merchant made it');
    await press(page, 'Retry');
    await sees(page, 'Recorded in the audit log.');
    const inbox = gateway.gateway.connection.collection<{ _id: string }>('inbox');
    await until('it is applied', async () => (await inbox.countDocuments({ _id: letter, state: 'done' })) === 1);
    await inbox.updateOne({ _id: letter }, { $set: { state: 'dead_letter' } });
    await page.goto(at(`/ops/callbacks/${letter}`));
    await page.getByLabel('Reason').last().fill('sent by mistake');
    await press(page, 'Discard');
    await sees(page, 'never be processed');
    await press(page, 'Discard');
    await sees(page, 'No callback needs attention');
    await close();
  });

  it('sends one notification and a time span of notifications again, with progress', async () => {
    const { page, close } = await open('/ops/notifications?state=exhausted');
    await page.getByRole('button', { name: /^Resend all \(/ }).click();
    await sees(page, /This resends \d+ notifications/);
    await press(page, 'Resend all');
    await sees(page, 'done');
    await takeScreenshot(page, 'console/progress');
    await expectAccessible(page, 'progress');
    await page.goto(at('/ops/notifications'));
    await page.locator('main td a[href^="/ops/notifications/"]').first().click();
    await page.getByRole('button', { name: 'Resend', exact: true }).click();
    await sees(page, 'Recorded in the audit log.');
    await close();
  });

  it('acknowledges and resolves alarms, runs a job, checks an adapter and changes its state', async () => {
    const { page, close } = await open('/ops/alarms');
    await page.getByRole('link', { name: 'Unknown provider status' }).first().click();
    await page.getByLabel('Reason').first().fill('I ask them');
    await press(page, 'Acknowledge');
    await sees(page, 'acknowledged');
    await page.goto(at('/ops/jobs'));
    await press(page, 'Run now');
    await sees(page, 'Recorded in the audit log.');
    await page.goto(at('/ops/adapters/provider-a'));
    await press(page, 'Check connection and account');
    await sees(page, 'can be reached');
    await sees(page, 'Credentials: not checked');
    await takeScreenshot(page, 'console/check');
    await expectAccessible(page, 'check');
    await page.getByRole('link', { name: 'Back to Provider A' }).click();
    await page.getByLabel('Reason').first().fill('moves to another bank');
    await press(page, 'Drain');
    await sees(page, 'will accept no new payments');
    await press(page, 'Drain');
    await sees(page, 'draining');
    await page.getByLabel('Reason').first().fill('they moved');
    await press(page, 'Turn on');
    await press(page, 'Turn on');
    await sees(page, 'Recorded in the audit log.');
    await close();
  });

  it('creates a key that is shown once, and asks for confirmation before it revokes it', async () => {
    const { page, close } = await open(`/ops/merchants/${gateway.ownerId}?tab=keys`);
    await page.getByText('Create a key').click();
    await press(page, 'Create key');
    await press(page, 'Create key');
    await sees(page, /^gk_test_/);
    await expectAccessible(page, 'a new key');
    await page.getByRole('link', { name: 'Done' }).click();
    await page.getByText('Change', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Revoke' }).first().click();
    await sees(page, 'Requests with it are then refused');
    await page.getByRole('link', { name: 'Back', exact: true }).click();
    await page.getByRole('heading', { name: 'demo' }).waitFor();
    await close();
  });

  it('brings a merchant on board with three clicks, and keeps what was typed if a field is wrong', async () => {
    const { page, close } = await open('/ops/merchants');
    await page.getByRole('link', { name: 'New merchant' }).click();
    await page.locator('input[name=name]').fill('Quay café');
    await page.getByLabel('Test endpoint').fill('ftp://shop.example');
    await press(page, 'Create merchant');
    await sees(page, 'Must be an http or https address of at most 2048 characters.');
    expect(await page.locator('input[name=name]').inputValue()).to.equal('Quay café');
    await expectAccessible(page, 'a refused merchant');
    await page.getByLabel('Test endpoint').fill('');
    await page.getByLabel('Currency').selectOption('EUR');
    await press(page, 'Create merchant');
    await sees(page, /^gk_test_/);
    await sees(page, /portal\/open\?link=/);
    await takeScreenshot(page, 'console/merchant-created');
    await expectAccessible(page, 'a new merchant');
    await page.getByRole('link', { name: 'Continue to the merchant' }).click();
    await page.getByRole('heading', { name: 'Quay café' }).waitFor();
    await close();
  });

  it('compares an uploaded settlement file, and shows the result', async () => {
    const { page, close } = await open('/ops/settlement');
    await page.getByRole('link', { name: 'Compare a file' }).click();
    await page.getByLabel('Provider').selectOption('provider-a');
    const text = `Reference,Amount,Currency\nGW-${paid.id}-1,1.00,EUR\nGW-999-1,5.00,EUR\n`;
    const file = { name: 'may.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('Settlement file').setInputFiles(file);
    await press(page, 'Upload');
    await press(page, 'Show the rows');
    await sees(page, 'How the file is read');
    await takeScreenshot(page, 'console/settlement-upload');
    await expectAccessible(page, 'an uploaded file');
    await expectNoOverflow(page, 'an uploaded file');
    await press(page, 'Compare');
    await sees(page, 'Amount differs (1)');
    await sees(page, 'Not in gateway (1)');
    await expectAccessible(page, 'a compared file');
    await close();
  });
});
