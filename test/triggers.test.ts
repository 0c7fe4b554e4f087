/** `paywright trigger` in the gateway's own words: what the sandbox then reports has the promised effect. */
import { triggerPath, type TriggerBody } from '@paywright/contract/sandbox';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { cardBody, payer } from './support/bodies.ts';
import { toTestPayment, waitForChargeback, type TestPayment } from './support/scenarios.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const billing = (unit = 'EUR', more: object = {}): object => ({ ...payer, amount: 25.9, unit, ...more });
const pending = '4000000000003097';

const adapters: Readonly<Record<string, readonly [code: number, body: unknown]>> = {
  'provider-a': [11, cardBody(pending)],
  'provider-b': [12, cardBody(pending)],
  'provider-c': [13, cardBody(pending)],
  'provider-d': [27, { ...payer, amount: 25.9, unit: 'PT', fullName: payer.name, phone: payer.phoneNumber }],
  'provider-e': [14, cardBody(pending)],
  'provider-f': [15, billing()],
  'provider-g': [16, cardBody(pending)],
  'provider-h': [17, billing()],
  crypto: [18, billing()],
  upi: [31, billing('INR', { upiId: 'slow@upi' })],
  token: [51, billing('EUR', { token: 'tok_pending' })],
};

interface Known {
  readonly _id: number;
  readonly attempts: readonly Pick<TriggerBody, 'reference' | 'providerReference'>[];
}

describe('an event that is triggered by the name of its notification', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: Object.keys(adapters) });
  });
  after(async () => gateway.close());

  async function causesOf(adapter: string): Promise<Readonly<Record<string, string>>> {
    const list = await fetch(gateway.sandboxes[adapter]! + triggerPath);
    return ((await list.json()) as { causes: Record<string, string> }).causes;
  }

  async function trigger({ id }: TestPayment, adapter: string, notification: string): Promise<void> {
    const payments = gateway.gateway.connection.collection<Known>('paymentRequests');
    const { reference, providerReference } = (await payments.findOne({ _id: id }))!.attempts[0]!;
    const { json: view } = await gateway.get(`/payment-requests/${id}`);
    const money = { amount: '25.9', currency: view.transactionCurrency ?? view.unit };
    const event = (await causesOf(adapter))[notification] ?? expect.fail(`${adapter} has no ${notification}`);
    const body: TriggerBody = { event, reference, providerReference, money, times: 1, forge: false };
    const sent = await fetch(gateway.sandboxes[adapter]! + triggerPath, { method: 'POST', body: JSON.stringify(body) });
    expect(sent.status, await sent.text()).to.equal(200);
  }

  for (const [adapter, [code, body]] of Object.entries(adapters)) {
    it(`pays, refunds and charges back at ${adapter}`, async () => {
      const answer = await gateway.post(`/payments/h2h/${code}`, body);
      expect(answer.status, answer.text).to.equal(200);
      const payment = toTestPayment(gateway, answer);
      if ((await payment.view()).paymentRequestStatusId === 1) await trigger(payment, adapter, 'payment.succeeded');
      await payment.waitForStatus(2);
      const causes = await causesOf(adapter);
      if (causes['payment.charged_back']) {
        await trigger(payment, adapter, 'payment.charged_back');
        await waitForChargeback(payment);
        await trigger(payment, adapter, 'payment.chargeback_reversed');
        await waitForChargeback(payment, false);
      }
      await trigger(payment, adapter, 'payment.refunded');
      await payment.waitForStatus(4);
    });
  }
});
