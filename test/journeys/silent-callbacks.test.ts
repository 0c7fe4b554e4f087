/** Callbacks that are all refused raise an alarm. Once one is accepted again, core asks about what it missed. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Alarm } from '../../core/database/collections/alarm.ts';
import { catchUpModel, type CatchUp } from '../../core/database/collections/catch-up.ts';
import { trafficModel } from '../../core/database/collections/traffic.ts';
import { MINUTE } from '../../core/base/async/time.ts';
import { until } from '../../core/base/testing/until.ts';
import type { RunningServer } from '../../core/http/index.ts';
import { noteMissingCallbacks } from '../../core/engine/callbacks/index.ts';
import { requestCatchUp } from '../../core/engine/payments/index.ts';
import { checkAccount } from '../../core/engine/providers/index.ts';
import { catchUpPayments } from '../../workers/jobs/catch-up-payments.ts';
import { watchBacklogs } from '../../workers/jobs/watch-backlogs.ts';
import { cardBody } from '../support/bodies.ts';
import { toTestPayment, waitForChargeback, type TestPayment } from '../support/scenarios.ts';
import { startConsole } from '../support/start-console.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const card = '4111111111111111';
const disputedLater = '4000000000000440';
const newSecret = 'whsec_changedAtStripe27';

describe('a provider whose callbacks are all refused', () => {
  let gateway: TestGateway;
  let console: RunningServer;
  const { signal } = new AbortController();
  before(async () => {
    gateway = await startGateway({
      adapters: ['stripe', 'razorpay'],
      config({ adapters }) {
        // The sandbox signs with the secret of the development settings, so no callback of it is accepted.
        adapters.stripe.options = { ...adapters.stripe.options, webhookSecrets: [newSecret] };
      },
    });
    console = await startConsole(gateway);
  });
  after(async () => {
    await console.close(0);
    await gateway.close();
  });

  const send = async (path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
    const sent = await fetch(`${gateway.url}/callbacks/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
    await sent.text();
    return sent.status;
  };
  const sendGenuine = async (): Promise<number> => {
    const body = JSON.stringify({
      id: 'evt_27',
      object: 'event',
      type: 'balance.available',
      livemode: false,
      created: 1_795_251_600,
      data: { object: {} },
    });
    const time = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', newSecret).update(`${time}.${body}`).digest('hex');
    return send('stripe', body, { 'Stripe-Signature': `t=${time},v1=${v1}` });
  };
  /** The sums that the operators' listener stored, over all minutes. */
  const counted = async (start: string): Promise<number> => {
    const minutes = await trafficModel(gateway.gateway.connection).find().lean();
    return minutes
      .flatMap(({ counts = {} }) => Object.entries(counts))
      .reduce((sum, [name, count]) => sum + (name.startsWith(start) ? count : 0), 0);
  };
  const alarmOf = async (adapter: string): Promise<Alarm | undefined> => {
    await gateway.gateway.alarms.close();
    return gateway.gateway.alarms.get(`callbacks_refused:adapter:${adapter}`);
  };
  const watch = async (): Promise<unknown> => watchBacklogs.run(gateway.gateway, signal);
  const pay = async (number: string): Promise<TestPayment> => {
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/21', cardBody(number, 25.9)));
    await payment.waitForStatus(2);
    return payment;
  };
  const refundInDashboard = async (payment: TestPayment): Promise<void> => {
    const { transactionNumber } = await payment.view();
    const { secretKey } = (gateway.run.config.adapters['stripe'] as unknown as { options: { secretKey: string } })
      .options;
    const refunded = await fetch(`${gateway.sandboxes['stripe']}/v1/refunds`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${secretKey}`,
        'Stripe-Version': '2026-08-26.dahlia',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: `payment_intent=${transactionNumber}&amount=2590`,
    });
    expect(refunded.status, await refunded.text()).to.equal(200);
  };
  const catchUp = async (): Promise<CatchUp> =>
    until('the run has ended', async () => {
      await catchUpPayments.run(gateway.gateway, signal);
      await gateway.work();
      const run = await catchUpModel(gateway.gateway.connection).findById('stripe').lean<CatchUp | null>();
      return run?.endedAt ? run : undefined;
    });

  it('raises an alarm that says what is missing and where the secret is, and none while one is accepted', async () => {
    for (let n = 1; n <= 30; n += 1) expect(await send('razorpay', '{}')).to.equal(401);
    await until('counted', async () => (await counted('refused|razorpay|')) >= 30);
    await watch();
    const alarm = await alarmOf('razorpay');
    expect(alarm).to.include({ state: 'open' });
    expect(alarm!.reason)
      .to.match(
        /^30 callbacks refused in 15 min, none accepted\. Why: Signature, password or account is wrong or missing: X-Razorpay-Signature \(\d+ ×\)\./,
      )
      .and.include('No genuine one is known')
      .and.match(/webhookSecrets: .*Dashboard/);
  });

  it('counts an address that differs in its case or a slash, and the address of an adapter that is off', async () => {
    const { registry } = gateway.gateway.providers;
    for (const path of ['Stripe', 'stripe/', 'STRIPE/']) expect(await send(path, '{}')).to.equal(404);
    expect(await send('stripe/more', '{}')).to.equal(404);
    await until('counted', async () => (await counted('refused|stripe|the exact address')) === 3);
    registry.setState('stripe', 'off');
    try {
      expect(await send('stripe', '{}')).to.equal(404);
    } finally {
      registry.setState('stripe', 'on');
    }
    await until('counted', async () => (await counted('refused|stripe|an adapter that is on')) === 1);
  });

  it('asks about payments since the last genuine callback, once a callback is accepted again', async () => {
    const disputed = await pay(disputedLater);
    const refunded = await pay(card);
    await refundInDashboard(refunded);
    // The sandbox reported the payments, the dispute and the refund, each with the old secret.
    await until('all are refused', async () => (await counted('refused|stripe|proof')) >= 5);
    expect(await disputed.view()).to.include({ paymentRequestStatusId: 2, chargedBack: false });
    expect(await refunded.view()).to.include({ paymentRequestStatusId: 2 });
    await watch();
    expect(await alarmOf('stripe')).to.include({ state: 'open' });

    expect(await sendGenuine()).to.equal(200);
    await until('accepted', async () => (await counted('callbacks|stripe|ignored')) > 0);
    // The time of the last genuine callback is stored after its count.
    await until('the alarm is cleared', async () => {
      await watch();
      return (await alarmOf('stripe'))?.state === 'resolved';
    });
    const run = await catchUp();
    expect(run).to.include({ asked: 2, changedCount: 2, unanswered: 0, silentSince: null });
    expect(run.changed).to.have.deep.members([
      { id: disputed.id, was: 'paid 25.90 EUR', is: 'paid 25.90 EUR, charged back' },
      { id: refunded.id, was: 'paid 25.90 EUR', is: 'refunded 25.90 EUR' },
    ]);
    await waitForChargeback(disputed);
    await refunded.waitForStatus(4);
  });

  it('asks about payments after the check of an account found a disabled endpoint, and a callback is accepted', async () => {
    const { connection } = gateway.gateway;
    const name = 'stripe';
    const disabled = {
      ok: false,
      finding: `the webhook for ${gateway.url}/callbacks/stripe is disabled`,
      cure: 'enable it',
    };
    const noted = async (adapter: string): Promise<void> => noteMissingCallbacks(connection, adapter, new Date());
    const adapter = gateway.gateway.providers.registry.byName(name)!;
    const calls = { checkAccount: async () => [disabled] };
    const evidence = { refusal: async () => undefined };
    const keepReportedId = async () => undefined;
    const findings = await checkAccount({ calls, onSilence: noted, evidence, keepReportedId }, adapter, [true]);
    expect(findings.map(({ state }) => state)).to.deep.equal(['wrong', 'warn']);
    expect(findings[1]?.text).to.include('paywright payments reconcile --since <time> --adapter stripe');
    const before = await catchUpModel(connection).findById(name).lean<CatchUp>();
    expect(before!.silentSince).to.be.instanceOf(Date);
    const accepted = await counted('callbacks|stripe|ignored');
    expect(await sendGenuine()).to.equal(200);
    await until('accepted', async () => (await counted('callbacks|stripe|ignored')) > accepted);
    await until('the silence has ended', async () => {
      await watch();
      return (await catchUpModel(connection).findById(name).lean<CatchUp>())?.silentSince === null;
    });
    const after = await catchUp();
    expect(after).to.include({ asked: 2, silentSince: null }).and.deep.include({ since: before!.silentSince });
  });

  it('counts payments of an adapter that is off, which cannot be asked about', async () => {
    const { registry } = gateway.gateway.providers;
    registry.setState('stripe', 'off');
    try {
      await requestCatchUp(gateway.gateway.connection, 'stripe', new Date(), { joins: true });
      expect(await catchUp()).to.include({ asked: 0, notAsked: 2, obstacle: 'the adapter is off' });
    } finally {
      registry.setState('stripe', 'on');
    }
  });

  it('raises no alarm for forged callbacks while genuine ones are accepted', async () => {
    for (let n = 1; n <= 30; n += 1) expect(await send('stripe', '{}')).to.equal(400);
    await until('counted', async () => (await counted('refused|stripe|proof')) >= 35);
    await watch();
    expect((await alarmOf('stripe'))?.state).to.equal('resolved');
  });

  it('continues a run where a killed worker stopped it, and repeats a batch that was requested but not stored', async () => {
    const { connection } = gateway.gateway;
    const since = new Date(Date.now() - MINUTE);
    await requestCatchUp(connection, 'stripe', since, { joins: true });
    await catchUpPayments.run(gateway.gateway, signal);
    const inProgress = await catchUpModel(connection).findById('stripe').lean<CatchUp>();
    expect(inProgress).to.include({ endedAt: null, asked: 0 });
    expect(inProgress!.waiting).to.have.length(2);
    // The same request joins the run. A silence that ends starts it again.
    await requestCatchUp(connection, 'stripe', new Date(), { joins: true });
    expect(await catchUpModel(connection).findById('stripe').lean<CatchUp>()).to.include({ step: 1 });
    await requestCatchUp(connection, 'stripe', new Date(), { joins: false });
    expect(await catchUpModel(connection).findById('stripe').lean<CatchUp>()).to.include({ step: 0, asked: 0 });
    const run = await catchUp();
    expect(run).to.include({ asked: 2, changedCount: 0 }).and.deep.include({ since });
  });
});
