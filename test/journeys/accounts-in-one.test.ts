/** Options of earlier versions hold several accounts of Provider C. They are part of the account `main`. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

describe('options of Provider C with a list of accounts', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      adapters: ['provider-c'],
      config(config) {
        const adapter = config.adapters['provider-c'];
        const { key, currency, salts, pageSecrets, ...shared } = adapter.options;
        adapter.options = {
          ...shared,
          accounts: [{ key, currency, salts, pageSecrets }, adapter.accounts.jpy.options],
        };
        const usd = { key: 'GWDEMO03', currency: 'USD', salts: ['c-salt-open-usd-77c1d2aa'] };
        const options = { ...usd, pageSecrets: ['c-page-open-usd-1d2f77aa'] };
        adapter.accounts = { usd: { state: 'on', options } };
      },
    });
  });
  after(async () => gateway.close());

  for (const [amount, unit] of [
    [25.9, 'EUR'],
    [2590, 'JPY'],
  ] as const) {
    it(`pays, reports and refunds ${unit} at main, next to an account of its own`, async () => {
      const { json } = await gateway.post('/payments/h2h/13', cardBody('4111111111111111', amount, { unit }));
      const { id, providerAccount } = json.paymentRequest;
      expect(providerAccount).to.equal('provider-c/main');
      const reported = gateway.gateway.connection.collection('inbox').find({ path: 'providerC' });
      await until('C reported the payment at the bare address', async () =>
        (await reported.clone().toArray()).some(({ events }) => events[0].paymentRequestId === id),
      );
      const refunded = await gateway.post(`/payment-requests/${id}/refund`, {});
      expect(refunded.status, refunded.text).to.equal(200);
      await until(
        'refunded',
        async () => (await gateway.get(`/payment-requests/${id}`)).json.paymentRequestStatusId === 4,
      );
    });
  }

  it('shows that a currency without an account is not open', async () => {
    const { status, json } = await gateway.post('/payments/h2h/13', cardBody('4111111111111111', 5, { unit: 'GBP' }));
    expect(status).to.equal(400);
    expect(JSON.stringify(json)).to.contain('VAL002');
  });
});
