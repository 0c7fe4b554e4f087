/** Problems in a running gateway: the console names each one, and an operator fixes it there using only its forms. */
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { alarmKinds } from '../core/engine/alarms/index.ts';
import type { AlarmKind } from '../core/database/collections/alarm.ts';
import type { HostProcess } from '../core/database/collections/host.ts';
import type { RunningServer } from '../core/http/index.ts';
import { until } from '../core/base/testing/until.ts';
import { withWrongClock } from '../core/base/testing/wrong-clock.ts';
import { DAY, HOUR } from '../core/base/async/time.ts';
import { reportAlarms } from '../workers/jobs/report-alarms.ts';
import { createHostAlarms, createHosts, type HostAlarms, type Hosts } from '../workers/supervisor/hosts/index.ts';
import { newName } from '../workers/supervisor/processes/process-names.ts';
import { superviseProcess, type SupervisedProcess } from '../workers/supervisor/processes/supervise-process.ts';
import { cardBody } from './support/bodies.ts';
import { FormBrowser, type Page } from './support/form-browser.ts';
import { startProxy, type Proxy, type Reply } from './support/proxy.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { setDue, toTestPayment, trigger, type TestPayment } from './support/scenarios.ts';
import { startConsole } from './support/start-console.ts';
import { startGateway, type Answer, type TestGateway } from './support/start-gateway.ts';

const approved = '4111111111111111';
const pendingForever = '4000000000003097';
/** Longer than all attempts of a notification take here. */
const disabledAfterMs = 8000;

describe('the console of a gateway with a problem', () => {
  let gateway: TestGateway;
  let proxy: Proxy;
  let server: RunningServer;
  let operator: FormBrowser;
  const receivers: Receiver[] = [];

  before(async () => {
    proxy = await startProxy();
    gateway = await startGateway({
      adapters: ['provider-a'],
      worksLater: true,
      config(config) {
        config.adapters['provider-a'].options.sandboxBaseUrl = proxy.url;
        config.notifications.attemptDelaysSeconds = [0, 0.1];
        config.notifications.disableEndpointAfterDays = disabledAfterMs / DAY;
      },
    });
    proxy.target = gateway.sandboxes['provider-a']!;
    server = await startConsole(gateway);
    const { key } = await gateway.gateway.access.operators.create({ name: 'Ada', role: 'admin' });
    operator = new FormBrowser(`http://127.0.0.1:${server.port}`);
    await operator.post('/ops/sign-in', { key });
  });
  afterEach(() => {
    proxy.before = async () => undefined;
  });
  after(async () => {
    await server.close(0);
    await gateway.close();
    await proxy.close();
    await Promise.all(receivers.map(async (one) => one.close()));
  });

  // Inserted directly, as a crash or elapsed days would have left it.
  const collectionOf = (name: string) => gateway.gateway.connection.collection<{ _id: number }>(name);

  async function pay(card: string, more: Readonly<Record<string, unknown>> = {}): Promise<TestPayment> {
    return toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody(card, '25.90', more)));
  }

  async function startMerchant(): Promise<Receiver> {
    const merchant = await startReceiver();
    receivers.push(merchant);
    merchant.answer = (response) => response.writeHead(500).end();
    return merchant;
  }

  /** Makes the provider report this status of charges from now on. */
  function setProviderStatus(state: string): void {
    proxy.before = async ({ method, path }): Promise<Reply | void> => {
      if (method !== 'GET' || !path.includes('/by-ref/')) return undefined;
      const { options } = gateway.run.config.adapters['provider-a'] as unknown as { options: { apiKey: string } };
      const headers = { 'X-A-Key': options.apiKey };
      const answer = await (await fetch(`${proxy.target}${path}`, { headers })).text();
      return { status: 200, body: answer.replace('"WAIT"', JSON.stringify(state)) };
    };
  }

  /** The page of the alarm, reached from the link on the overview next to the alarm's meaning. */
  async function openAlarm(kind: AlarmKind): Promise<Page & { readonly path: string }> {
    const { title } = alarmKinds[kind];
    const path = await until(`${kind} is on the overview`, async () => {
      const rows = (await operator.get('/ops')).text.split('<tr>');
      return /href="(\/ops\/alarms\/[^"]+)"/.exec(rows.find((row) => row.includes(title)) ?? '')?.[1];
    });
    const page = await operator.get(path);
    expect(page.text).to.contain('What to do');
    return { ...page, path };
  }

  /** The page behind a link, and its address. */
  async function followLink({ text }: Page, label: RegExp): Promise<Page & { readonly path: string }> {
    const links = [...text.matchAll(/<a\s+href="([^"]+)"[^>]*>([^<]*)<\/a/g)];
    const [, path = expect.fail(`no link ${label} in\n${text}`)] =
      links.find(([, , name = '']) => label.test(name)) ?? [];
    const plain = path.replaceAll('&amp;', '&');
    return { ...(await operator.get(plain)), path: plain };
  }

  /** Presses a button, and confirms if the console asks for confirmation. */
  async function press(page: Page, action: string, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    const asked = await operator.press(page, action, fields);
    const done = asked.text.includes('name="sure"') ? await operator.press(asked, action) : asked;
    expect(done.status, done.text).to.be.oneOf([200, 303]);
    return done;
  }

  async function waitUntilResolved(kind: AlarmKind): Promise<void> {
    await until(`${kind} is resolved`, async () => {
      await reportAlarms.run(gateway.gateway, new AbortController().signal);
      return !(await operator.get('/ops')).text.includes(alarmKinds[kind].title);
    });
  }

  /** The audit log says so, and the action neither failed nor is without a result. */
  async function expectAudited(act: string, sentence: string): Promise<void> {
    const { text } = await operator.get(`/ops/audit?act=${act}`);
    const row = text.split('<tr>').find((one) => one.replaceAll(/<[^<>]*>/g, '').includes(`Ada ${sentence}`));
    expect(row, `${sentence} in ${text}`).to.be.a('string').and.not.to.contain('badge bad');
  }

  it('asks the provider again about a payment that was given up', async () => {
    const payment = await pay(pendingForever);
    proxy.before = async () => ({ status: 503, body: '' });
    const long = new Date(Date.now() - 8 * DAY);
    await collectionOf('paymentRequests').updateOne(
      { _id: payment.id },
      { $set: { 'attempts.0.endedAt': long, 'attempts.0.checks': 1, nextCheckAt: new Date() } },
    );
    const page = await followLink(await openAlarm('payment_unresolved'), /View payment/);
    expect(page.text).to.contain('Needs review').and.to.contain(`look up GW-${payment.id}-1 at Provider A`);
    setProviderStatus('OK');
    await press(page, `${page.path}/reconcile`);
    await payment.waitForStatus(2);
    await waitUntilResolved('payment_unresolved');
    await expectAudited('payment.reconcile', `requested a status check of payment ${payment.id}`);
  });

  it("sends everything again after a merchant's receiver failed until deliveries stopped", async () => {
    const merchant = await startMerchant();
    const payment = await pay(approved, { notifyUrl: merchant.url });
    const alarm = await openAlarm('notifications_exhausted');
    expect(alarm.text).to.contain('>demo (test)</a>');
    const page = await followLink(alarm, /View notifications/);
    expect(page.text).to.contain('HTTP 500');
    merchant.forgetReceived();
    merchant.answer = (response) => response.writeHead(204).end();
    await press(page, '/ops/notifications/resend');
    await until('it is notified', () => merchant.ofPayment(payment.id).length > 0);
    await waitUntilResolved('notifications_exhausted');
    await expectAudited('notifications.resend', `resent 1 notification of merchant ${gateway.ownerId}`);
  });

  it('enables an address that was disabled after days of failures, and sends what was kept', async () => {
    const merchant = await startMerchant();
    const payments = [await pay(approved, { notifyUrl: merchant.url })];
    const isDisabled = { origin: new URL(merchant.url).origin, disabledAt: { $exists: true } };
    const since = Date.now();
    await until('it is disabled', async () => {
      if (Date.now() - since < disabledAfterMs) return false;
      payments.push(await pay(approved, { notifyUrl: merchant.url }));
      return (await collectionOf('endpoints').countDocuments(isDisabled)) > 0;
    });
    const page = await followLink(await openAlarm('endpoint_disabled'), /View webhooks/);
    expect(page.text).to.contain(isDisabled.origin);
    await openAlarm('notifications_exhausted');
    merchant.forgetReceived();
    merchant.answer = (response) => response.writeHead(204).end();
    await press(page, `/ops/merchants/${gateway.ownerId}/endpoints/enable`);
    // From the first notification on, with which the failures started.
    await until('it is notified of all payments', () => payments.every(({ id }) => merchant.ofPayment(id).length > 0));
    await waitUntilResolved('endpoint_disabled');
    await waitUntilResolved('notifications_exhausted');
    await expectAudited('endpoint.enable', `enabled ${isDisabled.origin} of demo (test), and resent `);
  });

  it('finds the payment of an unknown status, and asks about it again', async () => {
    const payment = await pay(pendingForever);
    setProviderStatus('PONDERING');
    await collectionOf('paymentRequests').updateOne({ _id: payment.id }, { $set: { nextCheckAt: new Date() } });
    const alarm = await openAlarm('status_unknown');
    expect(alarm.text).to.contain('payment PONDERING');
    const page = await followLink(alarm, new RegExp(`GW-${payment.id}-1`));
    setProviderStatus('OK');
    await press(page, `${page.path}/reconcile`);
    await payment.waitForStatus(2);
    await press(alarm, `${alarm.path}/resolve`, { reason: 'the adapter knows it now' });
    await waitUntilResolved('status_unknown');
    await expectAudited('alarm.resolve', 'resolved alarm status_unknown:adapter:provider-a (test): payment PONDERING');
  });

  /** A provider's callback for a payment that the database does not have. */
  async function makeEarlyCallback(): Promise<{
    readonly payment: TestPayment;
    readonly arrives: () => Promise<unknown>;
  }> {
    const payment = await pay(pendingForever);
    const payments = collectionOf('paymentRequests');
    const found = (await payments.findOne({ _id: payment.id }))!;
    await trigger(payment, 'provider-a', 'CAPTURE:true', async () => payments.deleteOne({ _id: payment.id }));
    return { payment, arrives: async () => payments.insertOne(found) };
  }

  it('shows a callback that arrived before its payment as waiting, and applies it immediately on request', async () => {
    const { payment, arrives } = await makeEarlyCallback();
    const list = await until('it waits', async () => {
      const page = await followLink(await operator.get('/ops'), /^inbox$/);
      return page.text.includes('no such payment is known yet') && page;
    });
    const [, path = ''] = /href="(\/ops\/callbacks\/e-\w+)"/.exec(list.text) ?? [];
    const page = { ...(await operator.get(path)), path };
    await arrives();
    await press(page, `${page.path}/requeue`, { reason: 'the payment is there now' });
    await payment.waitForStatus(2);
    await expectAudited('callback.requeue', `retried callback ${page.path.split('/').at(-1)}`);
  });

  it('applies a callback again that could not be applied in time', async () => {
    const { payment, arrives } = await makeEarlyCallback();
    await collectionOf('inbox').updateMany(
      { 'events.paymentRequestId': payment.id },
      { $set: { receivedAt: new Date(Date.now() - 30 * DAY), dueAt: new Date() } },
    );
    const page = await followLink(await openAlarm('callback_dead_letter'), /View callback/);
    expect(page.text).to.contain('No such payment is known yet');
    await arrives();
    await press(page, `${page.path}/requeue`, { reason: 'the payment is there now' });
    await payment.waitForStatus(2);
    await waitUntilResolved('callback_dead_letter');
    await expectAudited('callback.requeue', `retried callback ${page.path.split('/').at(-1)}`);
  });

  it('refunds one amount of a double charge', async () => {
    const { id } = (await gateway.post('/payment-requests', { amount: 25.9, unit: 'EUR' })).json.paymentRequest;
    // The provider reports that nothing was charged, and charges later.
    const refusal = JSON.stringify({ error: { code: 'BUSY', charged: 'no' } });
    proxy.after = async ({ method }) => (method === 'POST' ? { status: 503, body: refusal } : undefined);
    await gateway.post(`/payments/creditCard/${id}`, cardBody(pendingForever));
    proxy.after = async () => undefined;
    await gateway.post(`/payments/creditCard/${id}`, cardBody(approved));
    const answer = { headers: new Headers({ 'x-payment-request-id': String(id) }) } as Answer;
    const payment = toTestPayment(gateway, answer);
    await payment.waitForStatus(2);
    await trigger(payment, 'provider-a', 'CAPTURE:true');
    const page = await followLink(await openAlarm('charged_twice'), /View payment/);
    expect(page.text).to.contain('charged twice').and.to.contain('one of its charges, 25.90 EUR: “Refund”');
    expect(page.text).to.match(/name="amount" value="25.90"/);
    expect(page.text).to.contain(
      `<option value="GW-${id}-1" selected>Charge 2: GW-${id}-1 at Provider A, €25.90 left<`,
    );
    const unchosen = await operator.press(page, `${page.path}/refund`, { charge: '', amount: '' });
    expect([unchosen.status, unchosen.text.includes('the payment was charged twice')]).to.deep.equal([400, true]);
    const wanted = { charge: `GW-${id}-1`, amount: '25.90', reason: 'the bank charged twice' };
    const asked = await operator.press(page, `${page.path}/refund`, wanted);
    expect(asked.text).to.contain(`Only the charge GW-${id}-1 at Provider A is refunded.`);
    await press(asked, `${page.path}/refund`);
    expect((await operator.get(`${page.path}?done=yes`)).text).to.match(
      new RegExp(`Refund of €25\\.90 [^(]+\\(GW-${id}-1-R1`),
    );
    await waitUntilResolved('charged_twice');
    expect((await operator.get(page.path)).text).to.not.contain('charged twice</span>');
    await expectAudited('payment.refund', `refunded €25.90 of payment ${id}`);
  });

  it('keeps the alarm about an unreachable provider until a check on its page reaches the provider', async () => {
    const { alarms, connection } = gateway.gateway;
    const subject = { type: 'adapter', id: 'provider-a (test)' } as const;
    alarms.raise('breaker_open', subject, 'the sandbox cannot be reached');
    const alarm = await openAlarm('breaker_open');
    const raised = connection.collection<{ _id: string }>('alarms');
    await raised.updateOne({ _id: 'breaker_open:adapter:provider-a (test)' }, { $set: { lastSeenAt: new Date(0) } });
    await reportAlarms.run(gateway.gateway, new AbortController().signal);
    expect((await operator.get(alarm.path)).text).to.contain('Check connection and credentials');
    const checked = await press(alarm, '/ops/adapters/provider-a/check');
    expect(checked.text).to.contain('Resolved: the provider can be reached.');
    expect((await operator.get(alarm.path)).text).to.contain('Resolved by Ada');
    await waitUntilResolved('breaker_open');
  });

  it('drains a provider with a wrong key, and turns it on again after the key is corrected', async () => {
    proxy.before = async () => ({ status: 401, body: JSON.stringify({ error: { code: 'NO_KEY' } }) });
    await pay(approved);
    const alarm = await openAlarm('provider_misconfigured');
    expect(alarm.text).to.contain('401 NO_KEY');
    const page = await followLink(alarm, /View provider/);
    await press(page, `${page.path}/draining`, { reason: 'its key is wrong' });
    expect((await operator.get('/ops')).text).to.contain('>draining<');
    proxy.before = async () => undefined;
    await press(await operator.get(page.path), `${page.path}/on`, { reason: 'its key is right' });
    // The gateway polls the states of its adapters. Until its next poll the adapter drains, and the answer is 404.
    const retried = await until('the gateway uses the adapter again', async () => {
      const payment = await pay(approved);
      return payment.answer.status !== 404 && payment;
    });
    await retried.waitForStatus(2);
    await waitUntilResolved('provider_misconfigured');
    await expectAudited('adapter.state', 'switched on provider provider-a');
  });

  it('asks once more about a payment on which a worker repeatedly got stuck', async () => {
    const payment = await pay(pendingForever);
    const lease = { token: 'of a dead worker', worker: 'worker-9', expiries: 2, claimedAt: new Date(0) };
    await setDue(payment, { lease });
    setProviderStatus('OK');
    const page = await followLink(await openAlarm('payment_ends_workers'), /View payment/);
    await press(page, `${page.path}/reconcile`);
    await payment.waitForStatus(2);
    await waitUntilResolved('payment_ends_workers');
    await expectAudited('payment.reconcile', `requested a status check of payment ${payment.id}`);
  });

  const log = pino({ level: 'silent' });

  /** Registers a host, as its supervisor does. */
  function createHost(
    hostname: string,
    processStates: () => readonly HostProcess[],
  ): { readonly hosts: Hosts; readonly hostAlarms: HostAlarms } {
    const identity = { _id: `${hostname}-0`, hostname, tokenSecrets: [], adapters: [] };
    const hostAlarms = createHostAlarms(gateway.gateway.alarms, identity);
    const hosts = createHosts({
      connection: gateway.gateway.connection,
      identity,
      present: () => ({ workers: 0, processes: [], processStates: processStates() }),
      checkKeys: async () => undefined,
      onDead: async () => undefined,
      onWorkersLost: () => undefined,
      onAdapterStates: () => undefined,
      onPoll: (found) => hostAlarms.update(found),
      onVersionsDiffer: () => undefined,
      log,
    });
    return { hosts, hostAlarms };
  }

  it('names a stuck worker, replaces it, and resolves the alarm once the worker is healthy', async () => {
    const { hosts, hostAlarms } = createHost('host-8', () => [worker.status]);
    const worker: SupervisedProcess = superviseProcess({
      script: new URL('../workers/worker.js', import.meta.url),
      title: 'Worker 2',
      newName: () => newName('worker-2'),
      options: async (name) => ({ run: gateway.run, name, log: {} }),
      log,
      onFailed: (why, name) => hostAlarms.processFailed(why, name),
    });
    /** The overview, once the row of this process matches. */
    const waitForRow = async (what: RegExp): Promise<{ readonly text: string; readonly row: string }> =>
      until(`the console shows ${what}`, async () => {
        const { text } = await operator.get('/ops');
        const row = text.split('<tr>').find((one) => one.includes('>Worker 2</td>')) ?? '';
        return what.test(row) && { text, row };
      });
    try {
      await worker.started;
      const { name, pid } = worker;
      expect(await hosts.start()).to.deep.equal([]);
      expect((await waitForRow(/badge good">up</)).text).to.not.contain('silent for');
      process.kill(pid!, 'SIGSTOP');
      const { text } = await waitForRow(/badge bad">unresponsive</);
      expect(text).to.match(/silent for \d+ s; it is killed and replaced after 15 s/);
      expect(text).to.not.contain('No unresolved alarms');
      const alarm = await openAlarm('process_failed');
      expect(alarm.text)
        .to.contain('process worker-2@host-8')
        .and.to.contain('Worker 2 did not answer for 15 s and was killed.')
        .and.to.contain(name);
      await followLink(alarm, /View processes/);
      expect((await waitForRow(/badge good">up</)).row).to.not.contain(name);
      await reportAlarms.run(gateway.gateway, new AbortController().signal);
      expect((await operator.get('/ops')).text).to.contain(alarmKinds.process_failed.title);
      await collectionOf('alarms').updateOne(
        { kind: 'process_failed' },
        { $set: { lastSeenAt: new Date(Date.now() - HOUR) } },
      );
      await waitUntilResolved('process_failed');
    } finally {
      await worker.stop(5000);
      await hosts.stop();
    }
  });

  it('names a host with a wrong clock, also when it does not start, until the clock is right', async () => {
    const { hosts } = createHost('host-7', () => []);
    expect(await withWrongClock(60_000, async () => hosts.start())).to.have.length(1);
    const alarm = await openAlarm('clock_skew');
    expect(alarm.text)
      .to.contain('host-7')
      .and.to.match(/60 s ahead of/);
    expect(await hosts.start()).to.deep.equal([]);
    await waitUntilResolved('clock_skew');
    await hosts.stop();
  });
});
