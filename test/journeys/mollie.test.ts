/** A provider that signs nothing: its ping names a payment, and only the fetched status counts. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { openAction, postForm, press } from '../support/payer.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import {
  describeScenarios,
  makeDue,
  refunds,
  toTestPayment,
  trigger,
  type Check,
  type Scenario,
  type TestPayment,
} from '../support/scenarios.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const path = '/payments/h2h/24';
const body = (amount: number, unit = 'EUR', more: object = {}) => ({ ...payer, amount, unit, ...more });

/** Chooses the result of the payment at Mollie's page. */
const choose =
  (status: string) =>
  async ({ action }: Pick<TestPayment, 'action'>) => {
    const back = await press(await openAction(action), 'status', status);
    expect(back.status).to.equal(303);
  };

/**
 * Processes pings until the condition holds, as if the minimum of 5 s between two fetches of one id had always passed.
 */
async function processPings({ gateway }: TestPayment, what: string, holds: () => Promise<boolean>): Promise<void> {
  const inbox = gateway.gateway.connection.collection('inbox');
  await until(what, async () => {
    const waiting = { pingDueAt: { $type: 'date' as const }, 'lease.token': null };
    await inbox.updateMany(waiting, { $set: { pingDueAt: new Date(0) } });
    await gateway.work();
    return holds();
  });
}
const waitForStatus = async (payment: TestPayment, status: number): Promise<void> =>
  processPings(payment, `status ${status}`, async () => (await payment.view()).paymentRequestStatusId === status);
const waitForLog = async (payment: TestPayment, text: RegExp): Promise<void> =>
  processPings(payment, `${text}`, async () => {
    const { logs } = await payment.view();
    return logs.some(({ message }: { message: string }) => text.test(message));
  });

const ping = async ({ url }: TestGateway, id: string) => postForm(`${url}/callbacks/mollie`, { id });

describe('a payment at Mollie’s page', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['mollie'] });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  const paidOnce: Check = ({ id }, view) => {
    const paid = view.logs.filter((log: { transactionStatusId: number }) => log.transactionStatusId === 2);
    expect(paid, `${id}: ${JSON.stringify(view.logs)}`).to.have.length(1);
  };
  const paid = choose('paid');
  const paidThen =
    (next: (payment: TestPayment) => Promise<unknown>) =>
    async (payment: TestPayment): Promise<void> => {
      await paid(payment);
      await payment.waitForStatus(2);
      await next(payment);
    };

  const scenarios: readonly Scenario[] = [
    { title: 'is paid', path, body: body(25.9), acts: paid, ends: 2, with: { paymentMethodId: 7 }, check: paidOnce },
    { title: 'is paid in yen', path, body: body(2590, 'JPY'), acts: paid, ends: 2, with: { grossAmount: 2590 } },
    {
      title: 'is declined',
      path,
      body: body(1007),
      acts: choose('failed'),
      ends: 3,
      check: (_, { logs }) => expect(logs.at(-1).code).to.equal('51'),
    },
    { title: 'is left by the payer', path, body: body(25.9), acts: choose('canceled'), ends: 3 },
    { title: 'expires', path, body: body(25.9), acts: choose('expired'), ends: 5 },
    {
      title: 'waits for the bank without a ping, and is paid then',
      path,
      body: body(25.9),
      async acts(payment) {
        await choose('pending')(payment);
        await makeDue(payment);
        await payment.waitForStatus(1);
        await paid(payment);
        await waitForStatus(payment, 2);
      },
      ends: 2,
    },
    {
      title: 'is refunded in two parts',
      path,
      body: body(25.9),
      acts: paidThen(async (payment) => {
        await refunds(5, undefined)(payment);
        await waitForStatus(payment, 4);
      }),
      ends: 4,
    },
    {
      title: 'is refunded again after a failed refund',
      path,
      body: body(25.58),
      async acts(payment) {
        await paid(payment);
        await refunds(undefined)(payment);
        await waitForLog(payment, /refund (failed|reversed)/);
      },
      ends: 2,
    },
    {
      title: 'is charged back, and the chargeback is reversed',
      path,
      body: body(25.9),
      acts: paidThen(async (payment) => {
        await choose('chargeback')(payment);
        await processPings(payment, 'charged back', async () => (await payment.view()).chargedBack);
        await choose('reverse chargeback')(payment);
        await processPings(payment, 'no longer', async () => !(await payment.view()).chargedBack);
      }),
      ends: 2,
      with: { chargedBack: false },
    },
    {
      title: 'is refunded manually at Mollie',
      path,
      body: body(25.9),
      acts: paidThen(async (payment) => {
        await choose('refund')(payment);
        await waitForStatus(payment, 4);
      }),
      ends: 4,
    },
    { title: 'is pinged three times', path, body: body(25.54), acts: paid, ends: 2, check: paidOnce },
    { title: 'is paid after a forged ping', path, body: body(25.57), acts: paid, ends: 2, check: paidOnce },
    {
      title: 'is not created when Mollie fails',
      path,
      body: body(25.5),
      answers: { status: 500, code: 'PAY005' },
      ends: 3,
    },
    {
      title: 'says that the page decides about 3D Secure when it is demanded',
      path,
      body: body(25.9, 'EUR', { is3ds: true }),
      answers: { status: 400, code: 'VAL002' },
      ends: null,
    },
  ];
  describeScenarios(() => gateway, scenarios);

  it('is notified with the status that a ping led to', async () => {
    const answer = await gateway.post(path, body(25.9, 'EUR', { notifyUrl: receiver.url }));
    const payment = toTestPayment(gateway, answer);
    const notifiedTypes = (): string[] => receiver.ofPayment(payment.id).map(({ json }) => json.type as string);
    const waitForNotifications = async (...types: string[]) =>
      processPings(payment, types.join(), async () => types.every((type) => notifiedTypes().includes(type)));
    await paid(payment);
    await waitForNotifications('payment.pending', 'payment.succeeded');
    await refunds(10)(payment);
    await waitForNotifications('payment.partially_refunded');
    await choose('chargeback')(payment);
    await waitForNotifications('payment.charged_back');
    expect(notifiedTypes()).to.have.length(new Set(notifiedTypes()).size);
  });

  it('trusts no ping: an unpaid payment stays unchanged, and an unknown id changes nothing', async () => {
    const payment = toTestPayment(gateway, await gateway.post(path, body(25.9)));
    const { providerReference } = (await gateway.gateway.connection
      .collection<{ _id: number; attempts: { providerReference: string }[] }>('paymentRequests')
      .findOne({ _id: payment.id }))!.attempts[0]!;
    for (const id of [providerReference, 'tr_NobodyKnowsThis']) {
      expect((await ping(gateway, id)).status).to.equal(200);
    }
    expect((await ping(gateway, 'tr_../methods')).status).to.equal(400);
    await gateway.work();
    expect(await payment.waitForStatus(1)).to.include({ transactionStatusId: 1 });
    await paid(payment);
    await waitForStatus(payment, 2);
  });
});

describe('a payment that Mollie authorises', () => {
  const apiKey = 'test_openJourneys24abcdefghijklm';
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      adapters: ['mollie'],
      config: ({ adapters }) => Object.assign(adapters['mollie'].options, { captureMode: 'manual', apiKey }),
    });
  });
  after(async () => gateway.close());

  async function authorise(amount = 25.9): Promise<TestPayment> {
    const payment = toTestPayment(gateway, await gateway.post(path, body(amount)));
    await choose('authorized')(payment);
    await waitForLog(payment, /authorised/);
    return payment;
  }
  const post = async ({ id }: TestPayment, what: string, given?: object) =>
    gateway.post(`/payment-requests/${id}/${what}`, given);

  it('is captured in full only', async () => {
    const payment = await authorise();
    const part = await post(payment, 'capture', { amount: 5 });
    expect([part.status, part.json.code], part.text).to.deep.equal([400, 'PAY004']);
    const whole = await post(payment, 'capture');
    expect(whole.status, whole.text).to.equal(200);
    await waitForStatus(payment, 2);
    expect(await payment.view()).to.include({ grossAmount: 25.9 });
  });

  it("is paid with the part that was captured in Mollie's Web app, and only that can be refunded", async () => {
    const payment = await authorise();
    const { transactionNumber } = await payment.view();
    const captured = await fetch(`${gateway.sandboxes['mollie']}/v2/payments/${transactionNumber}/captures`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ amount: { currency: 'EUR', value: '5.00' } }),
    });
    expect(captured.status, await captured.text()).to.equal(201);
    await waitForStatus(payment, 2);
    expect(await payment.view()).to.include({ amount: 25.9, grossAmount: 5 });
    const more = await post(payment, 'refund', { amount: 5.01 });
    expect([more.status, more.json.code]).to.deep.equal([400, 'VAL002']);
    expect((await post(payment, 'refund', { amount: 5 })).status).to.equal(200);
    await waitForStatus(payment, 4);
  });

  it('stays authorised when the capture fails later, and can then be released', async () => {
    const payment = await authorise(25.58);
    expect((await post(payment, 'capture')).status).to.equal(200);
    await processPings(payment, 'free again', async () => {
      const { logs } = await payment.view();
      return logs.filter(({ message }: { message: string }) => /payment authorised/.test(message)).length === 2;
    });
    expect((await post(payment, 'cancel')).status).to.equal(200);
    await waitForStatus(payment, 5);
  });

  it('expires when the authorisation at Mollie expires', async () => {
    const payment = await authorise();
    await trigger(payment, 'mollie', 'expired');
    await waitForStatus(payment, 5);
  });

  it('is released by a cancel', async () => {
    const payment = await authorise();
    const cancelled = await post(payment, 'cancel');
    expect(cancelled.status, cancelled.text).to.equal(200);
    await waitForStatus(payment, 5);
  });
});
