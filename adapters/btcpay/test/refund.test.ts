import { readJsonObject, refuseRefund, type HttpReply, type Outcome } from '@paywright/contract';
import { firstRefund, reply, scriptedHttp, scriptedProvider } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import btcpay from '../index.ts';
import {
  answered,
  claimOf,
  errors,
  html,
  nameless,
  now,
  options,
  pullPayment,
  refusal,
  stored,
  titleOf,
} from './helpers.ts';

describe('a refund by BTCPay Server', () => {
  const refund = { reference: 'GW-10042-1-R1', money: { amount: '10', currency: 'EUR' }, ...firstRefund };
  const ask = (given: HttpReply): Promise<Outcome> => answered([given], (ctx) => btcpay.refund!(stored, refund, ctx));

  it('is a pull payment of our amount, under our name', async () => {
    const http = scriptedHttp([html]);
    await btcpay.refund!(stored, refund, scriptedProvider({ options, now, http }));
    const [{ path, headers, body } = expect.fail()] = http.requests;
    expect(path).to.equal(`/api/v1/stores/${options.storeId}/invoices/HMprBnL9BTXWuPvpoKBS6e/refund`);
    expect(headers).to.include({ Authorization: 'token api-key-1' });
    expect(readJsonObject(Buffer.from(body!))).to.deep.include({
      name: 'GW-10042-1-R1',
      refundVariant: 'Custom',
      customAmount: '10.00',
      customCurrency: 'EUR',
    });
  });

  it("waits for the payer's claim", async () => {
    expect(await ask(reply(200, pullPayment()))).to.deep.equal({ outcome: 'pending', providerReference: 'pp1' });
  });

  it('leaves a mark that it was started, even if its answer is lost', async () => {
    const kept: unknown[] = [];
    const ctx = scriptedProvider({ options, now, http: scriptedHttp([html]) });
    await btcpay.refund!(stored, refund, { ...ctx, keep: (state) => void kept.push(state) });
    expect(kept).to.deep.equal([{ refunds: 'begun' }]);
  });

  for (const [name, members] of [
    ['another name', { name: 'GW-10042-1-R2' }],
    ['another amount', { amount: '10.01' }],
    ['another currency', { currency: 'BTC' }],
    ['no number', { id: '' }],
  ] as const) {
    it(`is unknown if the answer shows ${name}`, async () => {
      expect((await ask(reply(200, pullPayment(members)))).outcome).to.equal('unknown');
    });
  }

  for (const [given, claim] of [
    ...errors,
    [refusal(400, 'non-refundable'), 'nothing charged'],
    [refusal(404, 'invoice-not-found'), 'nothing charged'],
    [refusal(404, 'other'), 'unknown'],
  ] as const) {
    it(`reads ${titleOf(given)} as ${claim}`, async () => expect(claimOf(await ask(given))).to.equal(claim));
  }

  it('is never requested without an invoice', () => {
    expect(claimOf(refuseRefund(btcpay.manifest, nameless, refund)!)).to.equal('nothing charged');
  });
});
