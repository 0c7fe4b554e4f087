import { readJsonObject, refuseRefund } from '@paywright/contract';
import { claimOf, titleOf, reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import btcpay from '../index.ts';
import { harness, errors, html, pullPayment, refusal } from './messages.ts';

const { unanswered, options, stored, createContext, recordCall, refund, refundRequest } = harness;

describe('a refund by BTCPay Server', () => {
  it('is a pull payment of our amount, under our name', async () => {
    const { requests } = await recordCall(html, (ctx) => btcpay.refund!(stored, refundRequest, ctx));
    const [{ path, headers, body } = expect.fail()] = requests;
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
    expect(await refund(reply(200, pullPayment()))).to.deep.equal({ outcome: 'pending', providerReference: 'pp1' });
  });

  it('leaves a mark that it was started, even if its answer is lost', async () => {
    const kept: unknown[] = [];
    const ctx = createContext([html]);
    await btcpay.refund!(stored, refundRequest, { ...ctx, keep: (state) => void kept.push(state) });
    expect(kept).to.deep.equal([{ refunds: 'begun' }]);
  });

  for (const [name, members] of [
    ['another name', { name: 'GW-10042-1-R2' }],
    ['another amount', { amount: '10.01' }],
    ['another currency', { currency: 'BTC' }],
    ['no number', { id: '' }],
  ] as const) {
    it(`is unknown if the answer shows ${name}`, async () => {
      expect((await refund(reply(200, pullPayment(members)))).outcome).to.equal('unknown');
    });
  }

  for (const [given, claim] of [
    ...errors,
    [refusal(400, 'non-refundable'), 'nothing charged'],
    [refusal(404, 'invoice-not-found'), 'nothing charged'],
    [refusal(404, 'other'), 'unknown'],
  ] as const) {
    it(`reads ${titleOf(given)} as ${claim}`, async () => expect(claimOf(await refund(given))).to.equal(claim));
  }

  it('is never requested without an invoice', () => {
    expect(claimOf(refuseRefund(btcpay.manifest, unanswered, refundRequest)!)).to.equal('nothing charged');
  });
});
