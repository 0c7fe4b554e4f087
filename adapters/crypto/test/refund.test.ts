import { refuseRefund } from '@paywright/contract';
import { claimOf, titleOf, reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import coinServer from '../index.ts';
import { harness, errors, html, type Members } from './messages.ts';

const { refund, refundRequest, unanswered, stored, createContext } = harness;

describe('refund at the coin server', () => {
  const made = (state: string, members: Members = {}): Members => ({
    refund: 'rf_1',
    invoice: 'inv_1',
    storeId: 'st_Test1',
    state,
    sum: '10.00',
    unit: 'EUR',
    ...members,
  });

  it('is requested for the invoice, under its own key', async () => {
    const http = scriptedHttp([html]);
    await coinServer.refund!(stored, refundRequest, createContext([], { http }));
    const { path, headers, body } = http.requests[0]!;
    expect(path).to.equal('/api/stores/st_Test1/invoices/inv_1/refunds');
    expect(headers).to.include({ 'Idempotency-Key': 'GW-10042-1-R1', Authorization: 'token tok_test_1' });
    expect(body).to.equal('{"sum":"10.00","unit":"EUR"}');
  });

  for (const [state, expected] of [
    ['created', { outcome: 'pending' }],
    ['done', { outcome: 'succeeded' }],
    ['failed', { outcome: 'failed', nothingCharged: true, reason: 'the refund is failed' }],
    ['reversed', { outcome: 'failed', nothingCharged: true, reason: 'the refund is reversed' }],
    ['asleep', { outcome: 'pending', unknownStatus: 'asleep' }],
  ] as const) {
    it(`treats ${state} as ${expected.outcome}, for a first request and a repetition`, async () => {
      for (const status of [202, 200]) {
        expect(await refund(reply(status, made(state)))).to.deep.equal({ ...expected, providerReference: 'rf_1' });
      }
    });
  }

  for (const [name, members] of [
    ['another invoice', { invoice: 'inv_2' }],
    ['another store', { storeId: 'st_Other' }],
    ['another sum', { sum: '10.01' }],
    ['another unit', { unit: 'USD' }],
    ['no number', { refund: '' }],
  ] as const) {
    it(`is unknown if the answer shows ${name}`, async () => {
      expect((await refund(reply(202, made('done', members)))).outcome).to.equal('unknown');
    });
  }

  it('is refused if it is too much, without a decline', async () => {
    const outcome = await refund(reply(422, { code: 'refused', reason: 'too-much', text: '' }));
    expect(claimOf(outcome)).to.equal('nothing charged');
    expect(outcome).to.not.have.property('decline');
  });
  for (const [given, claim] of errors) {
    it(`treats ${titleOf(given)} as ${claim}`, async () => expect(claimOf(await refund(given))).to.equal(claim));
  }

  it('is never sent without an invoice, or for an amount that the currency cannot express', () => {
    const yen = { money: { amount: '1.5', currency: 'JPY' } };
    for (const outcome of [
      refuseRefund(coinServer.manifest, unanswered, refundRequest),
      refuseRefund(coinServer.manifest, stored, yen),
    ]) {
      expect(claimOf(outcome!)).to.equal('nothing charged');
    }
  });
});
