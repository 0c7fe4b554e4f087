/** An account that lacks a card brand or a currency charges nothing, and the next provider is tried. */
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { cardBody, payer } from '../support/bodies.ts';
import { startProxy, type Proxy, type Reply } from '../support/proxy.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { toTestPayment } from '../support/scenarios.ts';

const card = '4111111111111111';
const errorOf = (status: number, errorCode: string, errorType: string): Reply => ({
  status,
  body: JSON.stringify({ status, errorCode, errorType, message: 'for people', pspReference: 'PSP0000000000905' }),
});
const lacking = errorOf(500, '905', 'configuration');

describe('an account at Adyen that lacks an acquirer', () => {
  let gateway: TestGateway;
  let proxy: Proxy;
  before(async () => {
    proxy = await startProxy();
    gateway = await startGateway({
      adapters: ['adyen', 'provider-a'],
      config(config) {
        config.adapters['adyen'].options.sandboxBaseUrl = proxy.url;
        config.routes = [{ id: 1, when: {}, use: ['adyen', 'provider-a'], fallback: true }];
      },
    });
    proxy.target = gateway.sandboxes['adyen']!;
  });
  beforeEach(() => Object.assign(proxy, { before: async () => undefined, after: async () => undefined }));
  after(async () => {
    await gateway.close();
    await proxy.close();
  });
  const alarmed = async (text: string): Promise<unknown> =>
    until('an alarm', async () =>
      gateway.logged.some((line) => line.includes('"alarmKind":"provider_misconfigured"') && line.includes(text)),
    );

  it('lets the next provider charge, and raises an alarm that names the code', async () => {
    proxy.before = async () => lacking;
    const made = await gateway.post('/payment-requests', { amount: 25.9, unit: 'EUR' });
    const { id } = toTestPayment(gateway, made);
    const { amount: _, unit: __, ...rest } = JSON.parse(cardBody(card)) as Record<string, unknown>;
    const payment = toTestPayment(gateway, await gateway.post(`/payments/creditCard/${id}`, { ...payer, ...rest }));
    expect(await payment.waitForStatus(2)).to.include({ paymentProviderId: 11 });
    await alarmed('500 905');
  });

  it('fails immediately if no other provider may be asked', async () => {
    proxy.before = async () => lacking;
    const answer = await gateway.post('/payments/h2h/22', cardBody(card, 25.9));
    expect([answer.status, answer.json.code]).to.deep.equal([500, 'PAY005']);
  });

  it('leaves a payment open if Adyen failed in another way', async () => {
    proxy.before = async () => errorOf(500, '701', 'internal');
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/22', cardBody(card, 25.9)));
    expect(await payment.view()).to.include({ paymentRequestStatusId: 1 });
  });

  it('refuses a refund, which can be requested again', async () => {
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/22', cardBody(card, 25.9)));
    await payment.waitForStatus(2);
    proxy.before = async () => lacking;
    const refused = await gateway.post(`/payment-requests/${payment.id}/refund`, undefined);
    expect(refused.status, refused.text).to.equal(400);
    proxy.before = async () => undefined;
    const again = await gateway.post(`/payment-requests/${payment.id}/refund`, undefined);
    expect(again.status, again.text).to.equal(200);
    await payment.waitForStatus(4);
  });
});
