import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { press } from '../support/payer.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import {
  describeScenarios,
  refunds,
  toTestPayment,
  trigger,
  type Check,
  type Scenario,
  type TestPayment,
} from '../support/scenarios.ts';

const body = (amount: number, more: object = {}) => ({ ...payer, amount, unit: 'EUR', ...more });
const declined = (declineCode: string) => ({ status: 400, code: 'PAY001', details: { declineCode } });
const showsCoins: Check = ({ action, answer }) => {
  expect(action, answer.text).to.include({ type: 'crypto', coin: 'BTC', network: 'bitcoin' });
  expect(action.amount).to.match(/^\d+\.\d{8}$/);
};
/** Checks that the log has a notice about an overpaid or late payment. */
const hasLog =
  (word: RegExp): Check =>
  (_, { logs }) =>
    expect(
      logs.some(({ message }: { message: string }) => word.test(message)),
      JSON.stringify(logs),
    ).to.equal(true);

async function waitForLog(payment: TestPayment, word: RegExp): Promise<void> {
  await until(`log ${word.source}`, async () => {
    const { logs } = await payment.view();
    return logs.some(({ message }: { message: string }) => word.test(message));
  });
}

/** Scenarios that every coin server supports. */
function scenarios(path: string): Scenario[] {
  return [
    { title: 'is paid in yen', path, body: body(1500, { unit: 'JPY' }), ends: 2, with: { grossAmount: 1500 } },
    { title: 'is paid too little', path, body: body(25.6), acts: waitUntilQuiet, ends: 1 },
    {
      title: 'is paid too much',
      path,
      body: body(25.61),
      ends: 2,
      with: { grossAmount: 25.61 },
      check: hasLog(/overpaid/),
    },
    { title: 'is paid late', path, body: body(25.62), ends: 2, check: hasLog(/late/) },
    { title: 'is never paid', path, body: body(25.63), ends: 5 },
    {
      title: 'fails before anything was created',
      path,
      body: body(25.5),
      answers: { status: 500, code: 'PAY005' },
      ends: 3,
    },
    { title: 'is reported three times', path, body: body(25.54), ends: 2 },
    { title: 'is reported before the answer', path, body: body(25.55), ends: 2 },
    { title: 'is reported out of order', path, body: body(25.56), ends: 2 },
    { title: 'is reported first with a wrong signature', path, body: body(25.57), ends: 2 },
    { title: 'is answered with a truncated body', path, body: body(25.53), ends: 2 },
    { title: 'is refunded in two parts', path, body: body(25.9), acts: refunds(5, undefined), ends: 4 },
    {
      title: 'is refunded again after a failed refund',
      path,
      body: body(25.9),
      async acts(payment) {
        await refunds(5.58)(payment);
        await waitForLog(payment, /refund failed/);
        await refunds(25.9)(payment);
      },
      ends: 4,
    },
  ];
}

/** Scenarios of a server that returns coins and address in its answer, and that checks payers and amounts. */
function addressScenarios(path: string): Scenario[] {
  return [
    {
      title: 'is paid without further steps',
      path,
      body: body(25.9),
      ends: 2,
      with: { paymentMethodId: 6, grossAmount: 25.9 },
      check: showsCoins,
    },
    ...scenarios(path),
    {
      title: 'is refused because of the country',
      path,
      body: body(25.9, { country: 'KP' }),
      answers: declined('57'),
      ends: 3,
    },
    { title: 'is refused because of the amount', path, body: body(50_000), answers: declined('61'), ends: 3 },
    {
      title: 'is refunded, and the refund comes back',
      path,
      body: body(25.59),
      async acts(payment) {
        await refunds(undefined)(payment);
        await waitForLog(payment, /refund reversed/);
      },
      ends: 2,
    },
  ];
}

/** Waits until everything that was reported is applied: nothing further follows. */
async function waitUntilQuiet({ gateway, id, view }: TestPayment): Promise<void> {
  await until('applied', async () => {
    const inbox = gateway.gateway.connection.collection('inbox');
    return (await inbox.countDocuments({ 'events.paymentRequestId': id, state: 'done' })) > 0;
  });
  expect((await view()).paymentRequestStatusId).to.equal(1);
}

describe('a coin payment at the coin server', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['crypto'] });
  });
  after(async () => gateway.close());
  describeScenarios(() => gateway, addressScenarios('/payments/h2h/18'));
  describeScenarios(
    () => gateway,
    [
      {
        title: 'is invalid after it was seen',
        path: '/payments/h2h/18',
        body: body(25.64),
        ends: 3,
        check: (_, { logs }) => expect(logs.at(-1).code).to.equal('05'),
      },
    ],
  );
});

describe('a coin payment at provider H', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['provider-h'] });
  });
  after(async () => gateway.close());
  describeScenarios(() => gateway, addressScenarios('/payments/h2h/17'));
  describeScenarios(
    () => gateway,
    ['pay', 'over', 'late'].map((act): Scenario => {
      return {
        title: `follows what the wallet does: ${act}`,
        path: '/payments/h2h/17',
        // The sandbox never pays this amount automatically, so only what the wallet did before counts.
        body: body(25.63),
        async acts(payment) {
          const { transactionNumber } = await payment.view();
          const page = await fetch(`${gateway.sandboxes['provider-h']}/wallet/${transactionNumber}`);
          await press(page, 'act', act);
          await payment.gateway.work();
        },
        ends: 2,
      };
    }),
  );
});

describe('a coin payment at BTCPay Server', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['btcpay'], worksLater: true });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  const path = '/payments/h2h/25';
  describeScenarios(() => gateway, scenarios(path));
  describeScenarios(
    () => gateway,
    [
      {
        title: 'is paid at the checkout page',
        path,
        body: body(25.9),
        ends: 2,
        with: { paymentMethodId: 7, grossAmount: 25.9 },
        check: ({ action, answer }) => expect(action, answer.text).to.include({ type: 'redirect', method: 'GET' }),
      },
      { title: 'is invalid after it was received', path, body: body(25.64), ends: 3 },
      {
        title: 'expires with a part of the money, which is refunded',
        path,
        body: body(25.6),
        async acts(payment) {
          await waitUntilQuiet(payment);
          await press(await fetch(payment.action.url), 'act', 'expire');
          await payment.waitForStatus(5);
          const answer = await gateway.post(`/payment-requests/${payment.id}/refund`, { amount: 15 });
          expect(answer.status, answer.text).to.equal(200);
          await waitForLog(payment, /refund succeeded/);
        },
        ends: 5,
      },
    ],
  );

  it('is settled by hand with a part of the coins, and no more than they are refunded', async () => {
    // The sandbox pays a part of this amount, and then nothing more.
    const payment = toTestPayment(gateway, await gateway.post(path, body(25.6)));
    await until('a part arrived', async () => (await payment.view()).receivedAmount > 0);
    await trigger(payment, 'btcpay', 'InvoiceSettled manuallyMarked', undefined, '25.6');
    const { receivedAmount, grossAmount } = await payment.waitForStatus(2);
    expect(grossAmount).to.equal(25.6);
    expect(receivedAmount).to.be.within(0.01, 25.59);
    const more = await gateway.post(`/payment-requests/${payment.id}/refund`, { amount: receivedAmount + 0.01 });
    expect([more.status, more.json.code]).to.deep.equal([400, 'VAL002']);
    await refunds(undefined)(payment);
    await payment.waitForStatus(4);
  });

  it('is settled by hand without any coins, and nothing can be refunded', async () => {
    const payment = toTestPayment(gateway, await gateway.post(path, body(25.63)));
    await trigger(payment, 'btcpay', 'InvoiceSettled manuallyMarked', undefined, '25.63');
    await payment.waitForStatus(2);
    const refused = await gateway.post(`/payment-requests/${payment.id}/refund`, {});
    expect([refused.status, refused.json.code]).to.deep.equal([400, 'PAY004']);
  });

  it('is priced in bitcoin to the satoshi, and refunded in bitcoin', async () => {
    const price = { ...body(0.00041237), unit: 'BTC' };
    const id = await expectNotifications(0.00041237, ['payment.pending', 'payment.succeeded'], undefined, price);
    const [, second] = receiver.ofPayment(id);
    expect(second?.json.data.paymentRequest).to.include({ grossAmount: 0.00041237, transactionCurrency: 'BTC' });
    const refund = (amount: number) => gateway.post(`/payment-requests/${id}/refund`, { amount });
    expect((await refund(0.000000001)).json).to.include({ code: 'VAL002' });
    expect((await refund(0.00000001)).status).to.equal(200);
    await until('refunded', async () => {
      const { json } = await gateway.get(`/payment-requests/${id}`);
      return json.logs.some(({ message }: { message: string }) => /refund succeeded/.test(message));
    });
    const rest = await refund(0.00041236);
    expect(rest.status, rest.text).to.equal(200);
    await until('refunded whole', async () => {
      const { json } = await gateway.get(`/payment-requests/${id}`);
      return json.paymentRequestStatusId === 4;
    });
  });

  it('is refused for less than a satoshi, and for another coin', async () => {
    for (const [amount, unit, field] of [
      [0.000000001, 'BTC', 'amount'],
      [0.1, 'ETH', 'unit'],
      [0.1, 'btc', 'unit'],
    ] as const) {
      const answer = await gateway.post(path, { ...body(amount), unit });
      expect([answer.status, answer.json.code], answer.text).to.deep.equal([400, 'VAL002']);
      expect(answer.json.details.errors[0].field, answer.text).to.equal(field);
    }
  });

  /** Expects these notifications to the merchant, in this order. */
  async function expectNotifications(
    amount: number,
    types: readonly string[],
    acts = async (_id: number) => {},
    price: object = body(amount),
  ): Promise<number> {
    const answer = await gateway.post(path, { ...price, notifyUrl: receiver.url });
    const id = Number(answer.headers.get('x-payment-request-id'));
    await acts(id);
    const notifications = () => receiver.ofPayment(id).toSorted((a, b) => a.json.sequence - b.json.sequence);
    await until(types.join(', '), async () => notifications().length >= types.length);
    expect(notifications().map(({ json }) => json.type)).to.deep.equal(types);
    return id;
  }

  it('notifies the merchant of the paid amount, and of too little and too much', async () => {
    await expectNotifications(25.9, ['payment.pending', 'payment.succeeded']);
    const under = await expectNotifications(25.6, ['payment.pending', 'payment.underpaid']);
    expect(receiver.ofPayment(under).at(-1)?.json.data.paymentRequest).to.include({ receivedAmount: 15.36 });
    const over = await expectNotifications(25.61, ['payment.pending', 'payment.succeeded']);
    expect((await gateway.get(`/payment-requests/${over}`)).json).to.include({
      grossAmount: 25.61,
      receivedAmount: 32.01,
    });
  });

  it('notifies the merchant of the page to claim a refund, and that the refund was sent', async () => {
    const types = ['payment.pending', 'payment.succeeded', 'payment.partially_refunded'];
    const id = await expectNotifications(25.9, types, async (paid) => {
      await until(
        'paid',
        async () => (await gateway.get(`/payment-requests/${paid}`)).json.paymentRequestStatusId === 2,
      );
      const answer = await gateway.post(`/payment-requests/${paid}/refund`, { amount: 10 });
      expect(answer.status, answer.text).to.equal(200);
    });
    const { json } = await gateway.get(`/payment-requests/${id}/timeline`);
    const pages = json.items.flatMap(({ details }: { details?: Record<string, string> }) => details?.['claimAt'] ?? []);
    expect(pages[0]).to.match(/^http:.*\/pull-payments\/\w+$/);
  });
});

describe('an address of BTCPay Server', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      adapters: ['btcpay'],
      worksLater: true,
      config: ({ adapters }) => {
        adapters.btcpay.options.flow = 'address';
      },
    });
  });
  after(async () => gateway.close());
  describeScenarios(
    () => gateway,
    [
      { title: 'is shown with the coins', path: '/payments/h2h/25', body: body(25.63), ends: 5, check: showsCoins },
      { title: 'is paid', path: '/payments/h2h/25', body: body(25.9), ends: 2, with: { paymentMethodId: 6 } },
      {
        title: 'is paid the exact price in coins',
        path: '/payments/h2h/25',
        body: body(0.00041237, { unit: 'BTC' }),
        ends: 2,
        with: { grossAmount: 0.00041237 },
        check: ({ action }) => expect(action).to.include({ type: 'crypto', coin: 'BTC', amount: '0.00041237' }),
      },
    ],
  );
});
