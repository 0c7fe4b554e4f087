/** A wallet whose order is captured when the payer returns. Its webhooks are believed only after a fetch. */
import { triggerPath } from '@paywright/contract/sandbox';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { openAction, press } from '../support/payer.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import {
  describeScenarios,
  refunds,
  toTestPayment,
  waitForChargeback,
  type Check,
  type Scenario,
  type TestPayment,
} from '../support/scenarios.ts';
import { startGateway, type Answer, type TestGateway } from '../support/start-gateway.ts';

const path = '/payments/h2h/26';
const body = (amount: number, unit = 'EUR', more: object = {}) => ({ ...payer, amount, unit, ...more });

/** Presses a button of PayPal's page. Returns the address to which the page sends the browser, if there is one. */
async function choose({ action }: Pick<TestPayment, 'action'>, choice: string): Promise<string | null> {
  const page = await press(await openAction(action), 'choice', choice);
  expect(page.status, choice).to.be.oneOf([200, 303]);
  return page.headers.get('location');
}

/** Makes a choice at the page, and returns to the gateway. */
const returnsAfter =
  (choice: string) =>
  async (payment: Pick<TestPayment, 'action'>): Promise<void> => {
    const back = await choose(payment, choice);
    const shown = await fetch(back!, { redirect: 'manual' });
    expect(shown.status, back!).to.be.oneOf([200, 303]);
  };
const approves = returnsAfter('pay');

/** Runs all work until the condition holds. A webhook only requests a fetch, which the worker then makes. */
async function waitFor({ gateway }: TestPayment, what: string, holds: () => Promise<boolean>): Promise<void> {
  await until(what, async () => {
    await gateway.work();
    return holds();
  });
}
const waitForDispute = async (payment: TestPayment, isOpen: boolean): Promise<void> =>
  waitFor(payment, `charged back: ${isOpen}`, async () => (await payment.view()).chargedBack === isOpen);

const paidOnce: Check = ({ id }, view) => {
  const paid = view.logs.filter((log: { transactionStatusId: number }) => log.transactionStatusId === 2);
  expect(paid, `${id}: ${JSON.stringify(view.logs)}`).to.have.length(1);
};
const post = async ({ gateway, id }: TestPayment, what: string, given?: object): Promise<Answer> =>
  gateway.post(`/payment-requests/${id}/${what}`, given);

describe('a payment with PayPal', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['paypal'] });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  const paidThen =
    (next: (payment: TestPayment) => Promise<unknown>) =>
    async (payment: TestPayment): Promise<void> => {
      await approves(payment);
      await payment.waitForStatus(2);
      await next(payment);
    };

  const scenarios: readonly Scenario[] = [
    {
      title: 'is captured when the payer returns, without 3D Secure',
      path,
      body: body(25.9),
      acts: approves,
      ends: 2,
      with: { paymentMethodId: 9, threeDs: false, grossAmount: 25.9 },
      check: paidOnce,
    },
    { title: 'is paid in whole forints', path, body: body(2590, 'HUF'), acts: approves, ends: 2 },
    {
      title: 'is refused in forints with decimals',
      path,
      body: body(2590.5, 'HUF'),
      answers: { status: 400, code: 'VAL002', details: { field: 'amount' } },
      ends: null,
    },
    {
      title: 'is accepted when 3D Secure is demanded',
      path,
      body: body(25.9, 'EUR', { is3ds: true }),
      acts: approves,
      ends: 2,
    },
    {
      title: 'is captured when the payer approves and does not return',
      path,
      body: body(25.9),
      acts: async (payment) => choose(payment, 'pay'),
      ends: 2,
      check: paidOnce,
    },
    {
      title: 'is declined',
      path,
      body: body(25.9),
      acts: returnsAfter('decline'),
      ends: 3,
      check: (_, { logs }) => expect(logs.at(-1).code).to.equal('05'),
    },
    { title: 'is paid after a review', path, body: body(25.9), acts: returnsAfter('review'), ends: 2, check: paidOnce },
    {
      title: 'is captured once when the answer to the capture is lost',
      path,
      body: body(25.53),
      acts: approves,
      ends: 2,
      check: paidOnce,
    },
    { title: 'is reported three times', path, body: body(25.54), acts: approves, ends: 2, check: paidOnce },
    { title: 'is paid after a forged webhook', path, body: body(25.57), acts: approves, ends: 2, check: paidOnce },
    { title: 'is refunded in two parts', path, body: body(25.9), acts: paidThen(refunds(5, undefined)), ends: 4 },
    {
      title: 'is refunded at PayPal',
      path,
      body: body(25.9),
      acts: paidThen(async (payment) => choose(payment, 'refund')),
      ends: 4,
    },
    {
      title: 'is charged back by a dispute, until it is won',
      path,
      body: body(25.9),
      acts: paidThen(async (payment) => {
        await choose(payment, 'dispute');
        await waitForDispute(payment, true);
        const refused = await post(payment, 'refund');
        expect([refused.status, refused.json.code]).to.deep.equal([400, 'PAY004']);
        await choose(payment, 'dispute won');
        await waitForDispute(payment, false);
      }),
      ends: 2,
    },
    {
      title: 'is charged back by a reversal',
      path,
      body: body(25.9),
      acts: paidThen(async (payment) => {
        await choose(payment, 'reverse');
        await waitForChargeback(payment);
      }),
      ends: 2,
      with: { chargedBack: true },
    },
    {
      title: 'is not created when PayPal fails',
      path,
      body: body(25.5),
      answers: { status: 500, code: 'PAY005' },
      ends: 3,
    },
  ];
  describeScenarios(() => gateway, scenarios);

  it('is named by its order first, and by its capture from the charge on', async () => {
    const payment = toTestPayment(gateway, await gateway.post(path, body(25.9)));
    const { transactionNumber: order } = await payment.view();
    await approves(payment);
    const { transactionNumber: capture } = await payment.waitForStatus(2);
    expect(new URL(payment.action.url).searchParams.get('token')).to.equal(order);
    expect(capture)
      .to.match(/^[A-Z0-9]{17}$/)
      .and.not.equal(order);
  });

  it('can be cancelled after the payer gave up, and is never captured afterwards', async () => {
    const payment = toTestPayment(gateway, await gateway.post(path, body(25.9)));
    const back = await choose(payment, 'cancel');
    expect(back).to.match(/[?&]cancelled=1&token=/);
    expect((await fetch(back!, { redirect: 'manual' })).status).to.be.oneOf([200, 303]);
    await gateway.work();
    expect((await post(payment, 'cancel')).status).to.equal(200);
    await payment.waitForStatus(5);
    await approves(payment);
    await waitFor(payment, 'the approval was reported', async () =>
      gateway.logged.some((line) => line.includes('fetched') && line.includes(String(payment.id))),
    );
    await gateway.work();
    expect(await payment.view()).to.include({ paymentRequestStatusId: 5, grossAmount: null });
  });

  it('is announced once with each state', async () => {
    const answer = await gateway.post(path, body(25.9, 'EUR', { notifyUrl: receiver.url }));
    const payment = toTestPayment(gateway, answer);
    const types = (): string[] => receiver.ofPayment(payment.id).map(({ json }) => json.type as string);
    const waitForTypes = async (...wanted: string[]) =>
      waitFor(payment, wanted.join(), async () => wanted.every((type) => types().includes(type)));
    await approves(payment);
    await waitForTypes('payment.pending', 'payment.succeeded');
    await refunds(10)(payment);
    await waitForTypes('payment.partially_refunded');
    await choose(payment, 'dispute');
    await waitForTypes('payment.charged_back');
    expect(types()).to.have.length(new Set(types()).size);
  });
});

describe('a payment that PayPal authorises', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      adapters: ['paypal'],
      config: ({ adapters }) => Object.assign(adapters['paypal'].options, { intent: 'authorize' }),
    });
  });
  after(async () => gateway.close());

  async function authorise(amount = 25.9): Promise<TestPayment> {
    const payment = toTestPayment(gateway, await gateway.post(path, body(amount)));
    await approves(payment);
    await waitFor(payment, 'authorised', async () => {
      const { logs } = await payment.view();
      return logs.some(({ message }: { message: string }) => /authorised/.test(message));
    });
    return payment;
  }

  it('is captured in part, and only that part can be refunded', async () => {
    const payment = await authorise();
    const captured = await post(payment, 'capture', { amount: 20 });
    expect(captured.status, captured.text).to.equal(200);
    expect(captured.json.paymentRequest).to.include({ paymentRequestStatusId: 2, grossAmount: 20 });
    expect(captured.json.paymentRequest.transactionNumber).to.match(/^[A-Z0-9]{17}$/);
    const more = await post(payment, 'refund', { amount: 20.01 });
    expect([more.status, more.json.code]).to.deep.equal([400, 'VAL002']);
    await refunds(undefined)(payment);
    await payment.waitForStatus(4);
  });

  it('is paid with the parts that were captured at PayPal', async () => {
    const payment = await authorise();
    await choose(payment, 'capture 1');
    await payment.waitForStatus(2);
    expect(await payment.view()).to.include({ amount: 25.9, grossAmount: 1 });
    await choose(payment, 'capture 1');
    await waitFor(payment, 'both parts', async () => (await payment.view()).grossAmount === 2);
    expect((await post(payment, 'refund', { amount: 1 })).status).to.equal(200);
  });

  it('is released', async () => {
    const payment = await authorise();
    const released = await post(payment, 'cancel');
    expect(released.status, released.text).to.equal(200);
    await payment.waitForStatus(5);
  });

  it('is cancelled when PayPal releases the money', async () => {
    const payment = await authorise();
    const { reference } = (await gateway.gateway.connection
      .collection<{ _id: number; attempts: { reference: string }[] }>('paymentRequests')
      .findOne({ _id: payment.id }))!.attempts[0]!;
    const event = { event: 'payment authorization:VOIDED', reference, providerReference: null };
    const money = { amount: '25.9', currency: 'EUR' };
    const sent = await fetch(`${gateway.sandboxes['paypal']}${triggerPath}`, {
      method: 'POST',
      body: JSON.stringify({ ...event, money, times: 1, forge: false }),
    });
    expect(sent.status, await sent.text()).to.equal(200);
    await payment.waitForStatus(3);
  });
});
