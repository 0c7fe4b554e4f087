/** Payments that real providers authorise: captured in full or in part, released, refused later, and expired. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { cardBody, payer } from '../support/bodies.ts';
import { openAction, press } from '../support/payer.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { toTestPayment, trigger, type TestPayment } from '../support/scenarios.ts';
import { startGateway, type Answer, type TestGateway } from '../support/start-gateway.ts';

const card = '4111111111111111';

let gateway: TestGateway;
let receiver: Receiver;

async function pay(path: string, body: unknown): Promise<TestPayment> {
  const answer = await gateway.post(path, body);
  expect(answer.status, answer.text).to.equal(200);
  return toTestPayment(gateway, answer);
}
const notifying = (more: object = {}) => ({ notifyUrl: receiver.url, ...more });
const callAction = async (
  { id }: TestPayment,
  what: 'capture' | 'cancel' | 'refund',
  body?: object,
): Promise<Answer> => {
  const answer = await gateway.post(`/payment-requests/${id}/${what}`, body);
  expect(answer.status, answer.text).to.equal(200);
  return answer;
};
const waitForNotification = async ({ id }: TestPayment, type: string, times = 1): Promise<unknown> =>
  until(`notified of ${type}`, async () => {
    return receiver.ofPayment(id).filter(({ json }) => json.type === type).length === times;
  });
const waitForLog = async (payment: TestPayment, text: RegExp): Promise<unknown> =>
  until(`${text}`, async () =>
    (await payment.view()).logs.some(({ message }: { message: string }) => text.test(message)),
  );

async function start(adapter: string, options: object = {}, delayMs?: number): Promise<void> {
  receiver = await startReceiver();
  gateway = await startGateway({
    adapters: [adapter],
    ...(delayMs === undefined ? {} : { delayMs }),
    config: ({ adapters }) => Object.assign(adapters[adapter].options, options),
  });
}
async function stop(): Promise<void> {
  await gateway.close();
  await receiver.close();
}

describe('a payment that Stripe authorises', () => {
  const stripeKey = 'sk_test_openJourneys21';
  before(async () => start('stripe', { captureMethod: 'manual', secretKey: stripeKey }));
  after(stop);
  const path = '/payments/h2h/21';
  async function authorise(number = card): Promise<TestPayment> {
    const payment = await pay(path, cardBody(number, 25.9, notifying()));
    await waitForNotification(payment, 'payment.authorised');
    return payment;
  }

  it('is captured in full, and refunded', async () => {
    const payment = await authorise();
    const { json } = await callAction(payment, 'capture');
    expect(json.paymentRequest).to.include({ paymentRequestStatusId: 2, grossAmount: 25.9 });
    await waitForNotification(payment, 'payment.succeeded');
    await callAction(payment, 'refund');
    await payment.waitForStatus(4);
  });

  it('is captured in part, and only that part is paid', async () => {
    const payment = await authorise();
    await callAction(payment, 'capture', { amount: 10.5 });
    const paid = await payment.waitForStatus(2);
    expect(paid).to.include({ amount: 25.9, grossAmount: 10.5 });
    const page = (await (await fetch(paid.link)).text()).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(page).to.include('Amount charged €10.50 Amount requested €25.90');
    await waitForLog(payment, /settled before|captured/);
    expect(receiver.ofPayment(payment.id).filter(({ json }) => json.type === 'payment.succeeded')).to.have.length(1);
  });

  it('is paid with the part that was captured in the Dashboard, and only that can be refunded', async () => {
    const payment = await authorise();
    const { transactionNumber } = await payment.view();
    const captured = await fetch(`${gateway.sandboxes['stripe']}/v1/payment_intents/${transactionNumber}/capture`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${stripeKey}`,
        'Stripe-Version': '2026-08-26.dahlia',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'amount_to_capture=500',
    });
    expect(captured.status, await captured.text()).to.equal(200);
    expect(await payment.waitForStatus(2)).to.include({ amount: 25.9, grossAmount: 5 });
    const more = await gateway.post(`/payment-requests/${payment.id}/refund`, { amount: 5.01 });
    expect([more.status, more.json.code]).to.deep.equal([400, 'VAL002']);
    await callAction(payment, 'refund');
    await payment.waitForStatus(4);
  });

  it('is released by a cancel', async () => {
    const payment = await authorise();
    expect((await callAction(payment, 'cancel')).json.paymentRequest.paymentRequestStatusId).to.equal(5);
    await waitForNotification(payment, 'payment.expired');
    const late = await gateway.post(`/payment-requests/${payment.id}/capture`, {});
    expect([late.status, late.json.code]).to.deep.equal([400, 'PAY004']);
  });

  it('is authorised after 3D Secure, and captured', async () => {
    const payment = await pay(path, cardBody(card, 25.9, notifying({ is3ds: true })));
    const back = await press(await openAction(payment.action), 'result', 'pass');
    await fetch(back.headers.get('location')!, { redirect: 'manual' });
    await waitForNotification(payment, 'payment.authorised');
    await callAction(payment, 'capture');
    expect(await payment.waitForStatus(2)).to.include({ threeDs: true });
  });

  it('is authorised at Stripe’s page, and captured', async () => {
    const payment = await pay(path, { ...payer, amount: 25.9, unit: 'EUR', ...notifying() });
    await press(await openAction(payment.action), 'result', 'pay');
    await waitForNotification(payment, 'payment.authorised');
    await callAction(payment, 'capture');
    await payment.waitForStatus(2);
  });

  it('expires, and nothing can be captured afterwards', async () => {
    const payment = await authorise();
    await trigger(payment, 'stripe', 'payment_intent.canceled.automatic');
    await payment.waitForStatus(5);
    await waitForNotification(payment, 'payment.expired');
  });
});

describe('a payment that Adyen authorises', () => {
  const adyenKey = 'adyen-key-of-journeys-2f7c91d04be6';
  // The sandbox captures automatically two delays after the payment, which leaves time to capture it earlier.
  before(async () => start('adyen', { apiKey: adyenKey }, 1500));
  after(stop);
  const authorise = async (amount: number): Promise<TestPayment> =>
    pay('/payments/h2h/22', cardBody(card, amount, notifying({ captureDelayHours: 4 })));

  it('is captured, which its webhook confirms', async () => {
    const payment = await authorise(25.9);
    await callAction(payment, 'capture', { amount: 10 });
    expect(await payment.waitForStatus(2)).to.include({ grossAmount: 10 });
  });

  it('is paid with the part that another system captured, and only that can be refunded', async () => {
    const payment = await authorise(25.9);
    await waitForNotification(payment, 'payment.authorised');
    const { transactionNumber } = await payment.view();
    const captured = await fetch(`${gateway.sandboxes['adyen']}/payments/${transactionNumber}/captures`, {
      method: 'POST',
      headers: { 'X-API-Key': adyenKey, 'Idempotency-Key': 'ERP-4711', 'Content-Type': 'application/json' },
      body: JSON.stringify({
        merchantAccount: 'GatewayDemoECOM',
        reference: 'ERP-4711',
        amount: { currency: 'EUR', value: 500 },
      }),
    });
    expect(captured.status, await captured.text()).to.equal(201);
    expect(await payment.waitForStatus(2)).to.include({ amount: 25.9, grossAmount: 5 });
    const more = await gateway.post(`/payment-requests/${payment.id}/refund`, { amount: 5.01 });
    expect([more.status, more.json.code]).to.deep.equal([400, 'VAL002']);
    await callAction(payment, 'refund', { amount: 5 });
    await payment.waitForStatus(4);
  });

  it('is captured automatically by Adyen in the end', async () => {
    await (await authorise(25.9)).waitForStatus(2);
  });

  it('is released by a cancel, which its webhook confirms', async () => {
    const payment = await authorise(25.9);
    expect((await callAction(payment, 'cancel')).json.paymentRequest.paymentRequestStatusId).to.equal(1);
    await payment.waitForStatus(5);
    await waitForNotification(payment, 'payment.expired');
  });

  it('stays authorised when a capture is refused afterwards, and the next capture collects it', async () => {
    const payment = await authorise(25.58);
    await callAction(payment, 'capture');
    await waitForNotification(payment, 'payment.capture_failed');
    expect(await payment.view()).to.include({ paymentRequestStatusId: 1 });
    await callAction(payment, 'capture', { amount: 25.5 });
    expect(await payment.waitForStatus(2)).to.include({ grossAmount: 25.5 });
  });

  it('stays authorised when a cancel is refused afterwards', async () => {
    const payment = await authorise(25.58);
    await callAction(payment, 'cancel');
    await waitForNotification(payment, 'payment.cancel_failed');
    await callAction(payment, 'capture', { amount: 25 });
    await payment.waitForStatus(2);
  });

  it('stays paid when the scheme refuses it after the capture, and raises an alarm', async () => {
    const payment = await authorise(25.59);
    await callAction(payment, 'capture');
    await waitForNotification(payment, 'payment.capture_failed');
    expect(await payment.view()).to.include({ paymentRequestStatusId: 2 });
    await until('an alarm', async () =>
      gateway.logged.some((line) => line.includes('"alarmKind":"capture_failed"') && line.includes(`${payment.id}`)),
    );
  });

  it('is cancelled when Adyen gives the reserved money back after a review', async () => {
    const payment = await authorise(25.9);
    await waitForNotification(payment, 'payment.authorised');
    await trigger(payment, 'adyen', 'CANCEL_OR_REFUND:true');
    await payment.waitForStatus(3);
    const late = await gateway.post(`/payment-requests/${payment.id}/capture`, {});
    expect([late.status, late.json.code]).to.deep.equal([400, 'PAY004']);
  });

  it('is refunded when Adyen gives captured money back after a review', async () => {
    const payment = await pay('/payments/h2h/22', cardBody(card, 25.9, notifying()));
    await payment.waitForStatus(2);
    await trigger(payment, 'adyen', 'MANUAL_REVIEW_REJECT:true');
    await trigger(payment, 'adyen', 'CANCEL_OR_REFUND:false');
    await trigger(payment, 'adyen', 'CANCEL_OR_REFUND:true');
    await payment.waitForStatus(4);
    await waitForNotification(payment, 'payment.refunded');
    expect(gateway.logged.filter((line) => line.includes('"alarmKind":"status_unknown"'))).to.deep.equal([]);
  });

  it("expires when Adyen's authorisation expires", async () => {
    const payment = await authorise(25.9);
    await trigger(payment, 'adyen', 'EXPIRE:true');
    await payment.waitForStatus(5);
    await waitForNotification(payment, 'payment.expired');
  });
});
