/** Razorpay: UPI by order and payment (collect, intent, QR), and every other method at the page of a payment link. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { openAction, press } from '../support/payer.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import {
  waitForChargeback,
  describeScenarios,
  makeDue,
  refunds,
  toTestPayment,
  type Check,
  type Scenario,
  type TestPayment,
} from '../support/scenarios.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const path = '/payments/h2h/23';
const body = (amount: number, more: object = {}) => ({ ...payer, amount, unit: 'INR', ...more });
const upi = (upiId: string, amount = 25.9) => body(amount, { upiId });

describe('a payment at Razorpay', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['razorpay'] });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
    expect(gateway.logged.join('')).not.to.match(/(success|poor|retry|cancel)@razorpay/i);
  });

  /** The payer's action at the page. Then the payer returns to the shop. */
  const choose =
    (act: 'pay' | 'expire' | 'cancel') =>
    async ({ action, id }: TestPayment): Promise<void> => {
      const back = await press(await openAction(action), 'act', act);
      expect([back.status, back.headers.get('location')]).to.deep.equal([303, gateway.payPage(id)]);
    };
  const hasAction =
    (mode: string, member?: string): Check =>
    ({ action, answer }) => {
      expect(action, answer.text).to.include({ type: 'upi', mode });
      if (member) expect(action[member]).to.match(/^upi:\/\/pay\?/);
    };
  const declinedAs =
    (code: string): Check =>
    (_, { logs }) =>
      expect(logs.at(-1).code).to.equal(code);
  const paidOnce: Check = (_, { logs }) => {
    const paid = logs.filter((log: { transactionStatusId: number }) => log.transactionStatusId === 2);
    expect(paid, JSON.stringify(logs)).to.have.length(1);
  };
  const expectRefundFailure = async (payment: TestPayment): Promise<void> => {
    await refunds(undefined)(payment);
    await until('the refund failed', async () =>
      (await payment.view()).logs.some(({ message }: { message: string }) => /refund failed/.test(message)),
    );
  };

  const byUpi: readonly Scenario[] = [
    {
      title: 'is collected from the payer’s UPI id',
      path,
      body: upi('success@razorpay'),
      ends: 2,
      with: { paymentMethodId: 3, grossAmount: 25.9 },
      check: hasAction('collect'),
    },
    {
      title: 'is paid in an app, by intent',
      path,
      body: upi('intent@gw'),
      ends: 2,
      with: { paymentMethodId: 4 },
      check: hasAction('intent', 'link'),
    },
    {
      title: 'is paid by a scanned code',
      path,
      body: upi('QR@gw'),
      ends: 2,
      with: { paymentMethodId: 5 },
      check: hasAction('qr', 'text'),
    },
    { title: 'is declined', path, body: upi('failure@razorpay'), ends: 3, check: declinedAs('05') },
    { title: 'is declined for insufficient funds', path, body: upi('poor@razorpay'), ends: 3, check: declinedAs('51') },
    { title: 'is declined by the payer', path, body: upi('cancel@razorpay'), ends: 3, check: declinedAs('U69') },
    { title: 'is never answered by the payer', path, body: upi('expire@razorpay'), ends: 3, check: declinedAs('U69') },
    { title: 'is paid in the app after a failure', path, body: upi('retry@razorpay'), ends: 2, check: paidOnce },
    { title: 'stays pending', path, body: upi('stuck@razorpay'), acts: makeDue, ends: 1 },
    {
      title: 'is charged back',
      path,
      body: upi('dispute@razorpay'),
      acts: waitForChargeback,
      ends: 2,
      with: { chargedBack: true },
    },
    { title: 'is refunded in two parts', path, body: upi('success@razorpay'), acts: refunds(5, undefined), ends: 4 },
    {
      title: 'is refunded without success',
      path,
      body: upi('success@razorpay', 25.58),
      acts: expectRefundFailure,
      ends: 2,
    },
    { title: 'is paid although the answer is lost', path, body: upi('success@razorpay', 25.53), ends: 2 },
    { title: 'is reported three times', path, body: upi('success@razorpay', 25.54), ends: 2, check: paidOnce },
    {
      title: 'is reported before it is answered',
      path,
      body: upi('success@razorpay', 25.55),
      ends: 2,
      check: paidOnce,
    },
    { title: 'is reported out of order', path, body: upi('success@razorpay', 25.56), ends: 2, check: paidOnce },
    { title: 'is paid after a forged report', path, body: upi('success@razorpay', 25.57), ends: 2 },
    {
      title: 'is accepted only in rupees',
      path,
      body: { ...upi('success@razorpay'), unit: 'EUR' },
      answers: { status: 400, code: 'VAL002' },
      ends: null,
    },
  ];
  const atPage: readonly Scenario[] = [
    {
      title: 'is paid at the page, by card or anything else',
      path,
      body: body(25.9),
      acts: choose('pay'),
      ends: 2,
      with: { paymentMethodId: 7 },
      check: paidOnce,
    },
    {
      title: 'is paid at the page in euros',
      path,
      body: { ...body(25.9), unit: 'EUR' },
      acts: choose('pay'),
      ends: 2,
    },
    { title: 'expires at the page', path, body: body(25.9), acts: choose('expire'), ends: 5 },
    { title: 'is cancelled at the page', path, body: body(25.9), acts: choose('cancel'), ends: 3 },
    {
      title: 'is paid at the page, and refunded',
      path,
      body: body(25.9),
      async acts(payment) {
        await choose('pay')(payment);
        await refunds(undefined)(payment);
      },
      ends: 4,
    },
    {
      title: 'is not created when Razorpay refuses',
      path,
      body: body(25.5),
      answers: { status: 500, code: 'PAY005' },
      ends: 3,
    },
  ];
  describeScenarios(() => gateway, [...byUpi, ...atPage]);

  /** Delivers an event about the payment, signed by Razorpay, `later` seconds after now. */
  async function report(
    payment: TestPayment,
    event: string,
    entities: Readonly<Record<string, object>>,
    later: number,
  ): Promise<void> {
    const { transactionNumber } = await payment.view();
    const money = { amount: 2590, currency: 'INR' };
    const notes = { gateway_payment: `GW-${payment.id}-1` };
    const about = { id: transactionNumber, entity: 'payment', ...money, status: 'captured', captured: true, notes };
    const payload = Object.fromEntries(
      Object.entries({ payment: about, ...entities }).map(([name, entity]) => [name, { entity }]),
    );
    const created_at = Math.floor(Date.now() / 1000) + later;
    const text = JSON.stringify({ entity: 'event', account_id: 'acc_BFQ7uQEaa7j2z7', event, payload, created_at });
    const signature = createHmac('sha256', 'webhook-secret-open-new').update(text).digest('hex');
    const sent = await fetch(`${gateway.url}/callbacks/razorpay`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Razorpay-Signature': signature },
      body: text,
    });
    expect(sent.status, await sent.text()).to.equal(200);
    await gateway.work();
  }
  const pay = async (): Promise<TestPayment> => {
    const answer = await gateway.post(path, { ...upi('success@razorpay'), notifyUrl: receiver.url });
    const payment = toTestPayment(gateway, answer);
    await payment.waitForStatus(2);
    return payment;
  };

  const waitForNotification = async ({ id }: TestPayment, type: string): Promise<unknown> =>
    until(`notified of ${type}`, async () => receiver.ofPayment(id).some(({ json }) => json.type === type));

  it('stays charged back when Razorpay closes a dispute that was lost', async () => {
    const payment = await pay();
    const about = { id: `disp_${payment.id}`, amount: 2590, currency: 'INR', phase: 'chargeback' };
    await report(payment, 'payment.dispute.created', { dispute: { ...about, status: 'open', amount_deducted: 0 } }, 1);
    const lost = { ...about, status: 'lost', amount_deducted: 2590 };
    await report(payment, 'payment.dispute.lost', { dispute: lost }, 2);
    await report(payment, 'payment.dispute.closed', { dispute: lost }, 3);
    expect(await payment.view()).to.include({ chargedBack: true });
    const refused = await gateway.post(`/payment-requests/${payment.id}/refund`, {});
    expect([refused.status, refused.json.code]).to.deep.equal([400, 'PAY004']);
    const closed = { ...about, id: `disp_x${payment.id}`, status: 'closed', amount_deducted: 0 };
    await report(payment, 'payment.dispute.closed', { dispute: closed }, 4);
    expect(await payment.view()).to.include({ chargedBack: true });
  });

  it('can be refunded again when a processed refund fails afterwards', async () => {
    const payment = await pay();
    await refunds(10)(payment);
    await waitForNotification(payment, 'payment.partially_refunded');
    const [{ reference }] = (await payment.view()).refunds;
    const refund = {
      id: reference,
      amount: 1000,
      currency: 'INR',
      payment_id: (await payment.view()).transactionNumber,
    };
    await report(payment, 'refund.failed', { refund: { ...refund, status: 'failed' } }, 86_400);
    await waitForNotification(payment, 'payment.refund_reversed');
    expect(await payment.view()).to.include({ refundedAmount: 0, refundableAmount: 25.9 });
  });

  it('notifies the merchant of each step once', async () => {
    const answer = await gateway.post(path, { ...upi('success@razorpay'), notifyUrl: receiver.url });
    const payment = toTestPayment(gateway, answer);
    const notifiedTypes = (): string[] => receiver.ofPayment(payment.id).map(({ json }) => json.type as string);
    await payment.waitForStatus(2);
    await refunds(10)(payment);
    await until('notified', async () => notifiedTypes().includes('payment.partially_refunded'));
    expect(notifiedTypes()).to.have.members(['payment.pending', 'payment.succeeded', 'payment.partially_refunded']);
  });
});
