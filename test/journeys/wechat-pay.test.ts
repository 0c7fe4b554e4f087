/** A wallet that is paid by a code or at a page, whose unpaid orders are closed, and whose refunds may need help. */
import type { Action } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { press } from '../support/payer.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import {
  describeScenarios,
  makeDue,
  refunds,
  toTestPayment,
  type Check,
  type Scenario,
  type TestPayment,
} from '../support/scenarios.ts';
import { startGateway, type Answer, type TestGateway } from '../support/start-gateway.ts';

const path = '/payments/h2h/28';
const phone = { browserInfo: { userAgent: 'Mozilla/5.0 (Linux; Android 14) Mobile' }, ipAddress: '203.0.113.7' };
const body = (amount: number, more: object = {}) => ({ ...payer, amount, unit: 'CNY', ...more });

const paidOnce: Check = ({ id }, view) => {
  const paid = view.logs.filter((log: { transactionStatusId: number }) => log.transactionStatusId === 2);
  expect(paid, `${id}: ${JSON.stringify(view.logs)}`).to.have.length(1);
};
const showsCode: Check = ({ action }) => expect(action).to.include({ type: 'qr', app: 'WeChat' });
const post = async ({ gateway, id }: TestPayment, what: string, given?: object): Promise<Answer> =>
  gateway.post(`/payment-requests/${id}/${what}`, given);

describe('a payment with WeChat Pay', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['wechat-pay'] });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  /** Opens the page of H5, or the page that replaces the app at the sandbox, and pays. */
  async function pays({ action }: Pick<TestPayment, 'action'>): Promise<string | null> {
    const { type, url, text } = action as Action & { readonly url: string; readonly text: string };
    const code = (): string => `${gateway.sandboxes['wechat-pay']}/scan/${new URL(text).searchParams.get('pr')!}`;
    const page = await press(await fetch(type === 'qr' ? code() : url), 'choice', 'pay');
    return page.headers.get('location');
  }

  const scenarios: readonly Scenario[] = [
    {
      title: 'is paid by a code',
      path,
      body: body(25.9),
      ends: 2,
      with: { paymentMethodId: 9, threeDs: false, grossAmount: 25.9 },
      check: (payment, view) => {
        showsCode(payment, view);
        paidOnce(payment, view);
      },
    },
    {
      title: 'is paid by H5 on a phone',
      path,
      body: body(25.9, phone),
      acts: async (payment) => {
        expect(payment.action).to.include({ type: 'redirect', referrer: 'origin' });
        const back = await pays(payment);
        expect((await fetch(back!, { redirect: 'manual' })).status).to.be.oneOf([200, 303]);
      },
      ends: 2,
      check: paidOnce,
    },
    { title: 'is accepted when 3D Secure is demanded', path, body: body(25.9, { is3ds: true }), ends: 2 },
    {
      title: 'is refused if the amount is 0',
      path,
      body: body(0),
      answers: { status: 400, code: 'VAL002', details: { field: 'amount' } },
      ends: null,
    },
    {
      title: 'is paid by the code of the same order if the answer was lost',
      path,
      body: body(25.53),
      acts: makeDue,
      ends: 2,
      check: paidOnce,
    },
    { title: 'is reported three times', path, body: body(25.54), ends: 2, check: paidOnce },
    { title: 'is paid after a forged notification', path, body: body(25.57), ends: 2, check: paidOnce },
    {
      title: 'is not created when WeChat Pay fails',
      path,
      body: body(25.5),
      answers: { status: 500, code: 'PAY005' },
      ends: 3,
    },
    { title: 'is refunded in two parts', path, body: body(25.9), acts: refunds(5, undefined), ends: 4 },
    {
      title: 'is refunded after a part of it was closed',
      path,
      body: body(25.9),
      acts: async (payment) => {
        await refunds(5.58)(payment);
        await until('the refund failed', async () => {
          await gateway.work();
          return (await payment.view()).refunds[0].status === 'failed';
        });
        expect((await post(payment, 'refund')).status).to.equal(200);
      },
      ends: 4,
    },
  ];
  describeScenarios(() => gateway, scenarios);

  it('is closed when the merchant cancels it, and can then not be paid', async () => {
    const payment = toTestPayment(gateway, await gateway.post(path, body(25.63)));
    const cancelled = await post(payment, 'cancel');
    expect(cancelled.status, cancelled.text).to.equal(200);
    await payment.waitForStatus(5);
    await pays(payment);
    await gateway.work();
    expect(await payment.view()).to.include({ paymentRequestStatusId: 5, grossAmount: null });
  });

  it('is not cancelled if the payer has paid', async () => {
    const payment = toTestPayment(gateway, await gateway.post(path, body(25.63)));
    await pays(payment);
    const refused = await post(payment, 'cancel');
    expect([refused.status, refused.json.code]).to.deep.equal([400, 'PAY004']);
    await payment.waitForStatus(2);
  });

  it('announces a refund that needs the merchant, and then its success', async () => {
    const answer = await gateway.post(path, body(25.9, { notifyUrl: receiver.url }));
    const payment = toTestPayment(gateway, answer);
    const types = (): string[] => receiver.ofPayment(payment.id).map(({ json }) => json.type as string);
    await refunds(5.59)(payment);
    await until('announced', async () => {
      await gateway.work();
      return ['payment.refund_needs_merchant', 'payment.partially_refunded'].every((type) => types().includes(type));
    });
    expect(types().indexOf('payment.refund_needs_merchant')).to.be.lessThan(
      types().indexOf('payment.partially_refunded'),
    );
  });
});
