/** An unpaid order is closed at the provider: by a cancellation, by another attempt, and at the payment's expiry. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { openAction, postForm, press, type Redirect } from '../support/payer.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { setDue, toTestPayment, trigger, type TestPayment } from '../support/scenarios.ts';
import { startGateway, type Answer, type TestGateway } from '../support/start-gateway.ts';

const expiration = `12/${String(new Date().getUTCFullYear() + 3).slice(2)}`;
const card = (number: string) => ({ ...payer, number, expiration, cvv: '737' });
const challenged = '4000000000003220';
const approved = '4111111111111111';

interface Case {
  readonly title: string;
  readonly path: string;
  readonly body: object;
  /** The button with which the payer pays at the provider's page. */
  readonly button: readonly [name: string, value: string];
}

const cases: readonly Case[] = [
  { title: 'a card at Stripe', path: '/payments/h2h/21', body: card(challenged), button: ['result', 'pass'] },
  { title: 'Stripe’s page', path: '/payments/h2h/21', body: payer, button: ['result', 'pay'] },
  { title: 'Razorpay’s page', path: '/payments/h2h/23', body: { ...payer, unit: 'INR' }, button: ['act', 'pay'] },
  { title: 'Mollie’s page', path: '/payments/h2h/24', body: payer, button: ['status', 'paid'] },
  { title: 'BTCPay Server’s page', path: '/payments/h2h/25', body: payer, button: ['act', 'pay'] },
  { title: 'provider D’s page', path: '/payments/h2h/27', body: { ...payer, unit: 'EU' }, button: ['choice', 'pay'] },
  { title: 'provider F’s wallet', path: '/payments/h2h/15', body: payer, button: ['choice', 'pass'] },
];

describe('an unpaid order', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({
      adapters: ['stripe', 'razorpay', 'mollie', 'btcpay', 'provider-d', 'provider-f'],
      config: (config) => {
        config.routes = [{ id: 1, when: { method: ['card'] }, use: ['stripe'], fallback: false }];
      },
    });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  async function submit({ path, body }: Pick<Case, 'path' | 'body'>): Promise<TestPayment> {
    const given = { amount: 25.9, unit: 'EUR', notifyUrl: receiver.url, ...body };
    const payment = toTestPayment(gateway, await gateway.post(path, given, { Accept: 'application/json' }));
    expect(payment.answer.status, payment.answer.text).to.equal(200);
    return payment;
  }
  const cancel = async ({ id }: TestPayment): Promise<Answer> =>
    gateway.post(`/payment-requests/${id}/cancel`, undefined, { Accept: 'application/json' });
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  const load = async ({ id }: Pick<TestPayment, 'id'>): Promise<any> =>
    gateway.gateway.connection.collection<{ _id: number }>('paymentRequests').findOne({ _id: id });
  /** The number of requests that closed the order. The log of exchanges is written a moment later. */
  async function closesOf({ id }: TestPayment): Promise<number> {
    const exchanges = gateway.gateway.connection.collection('exchanges');
    const count = async (): Promise<number> => exchanges.countDocuments({ paymentRequestId: id, call: 'close' });
    await until('the request is logged', async () => (await count()) > 0);
    return count();
  }
  const typesOf = ({ id }: TestPayment): readonly string[] => receiver.ofPayment(id).map(({ json }) => json.type);
  const payAt = async ({ action }: TestPayment, [name, value]: Case['button']): Promise<Response> =>
    press(await openAction(action as Redirect), name, value);

  // The invoice of BTCPay Server's sandbox is paid automatically: the adapter's own tests close one.
  for (const one of cases.filter(({ path }) => !path.endsWith('/25'))) {
    it(`is closed at ${one.title} when the merchant cancels, and the payer can then not pay it`, async () => {
      const payment = await submit(one);
      const answer = await cancel(payment);
      expect([answer.status, answer.json.paymentRequest?.paymentRequestStatusId], answer.text).to.deep.equal([200, 5]);
      const { logs } = await payment.view();
      expect(logs.at(-1).message).to.equal('cancelled by the merchant; the order was closed at the provider');
      await closesOf(payment);
      const { items } = (await gateway.get(`/payment-requests/${payment.id}/timeline`)).json;
      const calls = items.filter(
        ({ kind, call }: { kind: string; call: string }) => kind === 'answer' && call === 'close',
      );
      expect(calls.map(({ status }: { status: number }) => status)).to.include(200);
      await payAt(payment, one.button).catch(() => undefined);
      await gateway.work();
      expect((await payment.view()).paymentRequestStatusId).to.equal(5);
      expect(typesOf(payment)).to.not.include('payment.failed');
    });
  }

  for (const one of cases) {
    it(`is not closed at ${one.title} once it is paid: PAY004, and the payment is paid`, async () => {
      const payment = await submit(one);
      await payAt(payment, one.button);
      const answer = await cancel(payment);
      expect(answer.json.code, answer.text).to.equal('PAY004');
      expect(answer.json.message).to.match(/did not close the open order|only a payment request|in progress/);
      await payment.waitForStatus(2);
    });
  }

  it('is closed when the payer pays with another card at the link, and only that card is charged', async () => {
    const made = await gateway.post('/payment-requests', { amount: 61, unit: 'EUR', notifyUrl: receiver.url });
    const url = made.json.paymentRequest.link as string;
    const payment = toTestPayment(gateway, made);
    const send = async (number: string, attempts: number) =>
      postForm(url, { way: 'card', attempts: String(attempts), ...card(number) });
    await send(challenged, 0);
    const [before] = (await load(payment)).attempts;
    const page = await (await fetch(`${url}&other=1`, { redirect: 'manual' })).text();
    expect(page).to.include('name="number"').and.include('If you pay another way, it ends.');
    await send(approved, 1);
    await payment.waitForStatus(2);
    const after = await load(payment);
    expect(
      after.attempts.map(({ outcome, close }: { outcome: string; close?: { state: string } }) => [
        outcome,
        close?.state,
      ]),
    ).to.deep.equal([
      ['failed', 'closed'],
      ['succeeded', undefined],
    ]);
    // The challenge of the first card can no longer be passed.
    const challenge = `${gateway.sandboxes['stripe']!}/3ds/${before.providerReference}`;
    await press(await openAction({ type: 'redirect', method: 'GET', url: challenge }), 'result', 'pass').catch(
      () => undefined,
    );
    await gateway.work();
    const logs = (await payment.view()).logs as readonly { readonly code: string }[];
    expect(logs.filter(({ code }) => code === 'DOUBLE_CHARGE')).to.deep.equal([]);
    expect(typesOf(payment)).to.not.include('payment.failed');
  });

  it('is closed once, however many cancellations and attempts arrive at the same moment', async () => {
    const payment = await submit(cases[0]!);
    const paying = async (): Promise<Answer> => gateway.post(`/payments/creditCard/${payment.id}`, card(approved));
    const answers = await Promise.all([cancel(payment), paying(), cancel(payment), paying()]);
    const done = answers.filter(({ status }) => status === 200);
    expect(done, answers.map(({ text }) => text).join()).to.have.length(1);
    for (const { status, json } of answers.filter((one) => one.status !== 200))
      expect([status, json.code]).to.deep.equal([400, 'PAY004']);
    const { statusId, attempts } = await load(payment);
    expect([2, 5]).to.include(statusId);
    expect(attempts).to.have.length(statusId === 2 ? 2 : 1);
    expect(await closesOf(payment)).to.equal(1);
  });

  it('is closed by the next worker if the process died after it asked the provider', async () => {
    const payment = await submit(cases[3]!);
    const close = { purpose: 'cancel', state: 'requested', requestedAt: new Date(), tries: 1, expiryTries: 0 };
    await setDue(payment, { 'attempts.0.close': close });
    await gateway.work();
    const view = await payment.waitForStatus(5);
    expect(view.logs.at(-1).message).to.equal('cancelled by the merchant; the order was closed at the provider');
    expect(await closesOf(payment)).to.equal(1);
  });

  it('is closed at its expiry, and money that arrives late still counts', async () => {
    const payment = await submit(cases[5]!);
    await setDue(payment, { expiresAt: new Date(Date.now() - 1000) });
    await gateway.work();
    const view = await payment.waitForStatus(5);
    expect(view.logs.at(-1).message).to.equal('not paid in time; the order was closed at the provider');
    await trigger(payment, 'provider-d', '0:0000');
    await payment.waitForStatus(2);
    expect((await load(payment)).attempts[0].late).to.equal(true);
  });

  it('keeps the payment pending at its expiry if the provider refuses, and is tried again', async () => {
    const payment = await submit(cases[3]!);
    // The payer has chosen a method that Mollie does not cancel.
    await payAt(payment, ['status', 'pending']);
    await setDue(payment, { expiresAt: new Date(Date.now() - 1000) });
    await gateway.work();
    const { statusId, attempts, nextCheckAt, logs } = await load(payment);
    expect([statusId, attempts[0].close.state, attempts[0].close.expiryTries]).to.deep.equal([1, 'not_closed', 1]);
    expect(logs.map(({ message }: { message: string }) => message)).to.include(
      'the order was not closed: Mollie does not cancel a payment with the status pending now',
    );
    expect(nextCheckAt.getTime()).to.be.at.most(Date.now() + 61_000);
  });
});
