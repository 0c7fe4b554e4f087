import { refuseRefund, type HttpReply, type Outcome, type StoredPayment } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerF from '../index.ts';
import { harness, dealId, fault, shows, unreadable } from './messages.ts';

const { recordCall, refundRequest, stored } = harness;

const wanted = { ...refundRequest, money: { amount: '5', currency: 'EUR' }, note: 'late' };
const refund = (answer: HttpReply, payment: StoredPayment = stored, given = wanted) =>
  recordCall<Outcome>(answer, (ctx) => providerF.refund!(payment, given, ctx));

describe('refund', () => {
  it('requests a part of the deal, and waits for the ping', async () => {
    const { result, requests } = await refund(shows({ returned: '0.00' }, 202));
    expect(result).to.deep.equal({ outcome: 'pending', providerReference: dealId });
    expect(requests).to.deep.equal([
      {
        method: 'POST',
        path: `/v1/deals/${dealId}/returns`,
        headers: {
          Authorization: 'Bearer f_tok_test_0123456789',
          'Content-Type': 'application/json',
          'Idempotency-Key': 'GW-10042-1-R1',
        },
        body: '{"v":"5.00","c":"EUR"}',
      },
    ]);
    expect((await refund(shows({ returned: '5.00' }, 200))).result).to.deep.equal(result);
  });

  it('sends no request without a deal, or for an amount that the currency cannot express', () => {
    const { manifest } = providerF;
    const fine = { ...wanted, money: { amount: '5.001', currency: 'EUR' } };
    for (const refused of [refuseRefund(manifest, {}, wanted), refuseRefund(manifest, stored, fine)]) {
      expect(refused).to.include({ outcome: 'failed', nothingCharged: true });
    }
  });

  it('is certainly refused if F says that it did not start', async () => {
    const more = (await refund(fault(422, 'not_offered', false))).result;
    expect(more).to.deep.equal({ outcome: 'failed', nothingCharged: true, reason: 'F answered 422 not_offered' });
    expect((await refund(fault(404, 'no_deal', false))).result).to.include({ nothingCharged: true });
    expect((await refund(fault(401, 'bad_token', false))).result).to.include({ misconfigured: true });
  });

  const deals = [
    ...unreadable,
    ['another id', { id: 'd_Other001' }],
    ['another amount', { gross: { v: '5.00', c: 'EUR' } }],
    ['another currency', { gross: { v: '25.90', c: 'USD' } }],
  ] as const;
  for (const [what, answer] of [
    ...deals.map(([name, members]) => [name, shows(members, 202)] as const),
    ['409 key_reused', fault(409, 'key_reused', true)],
    ['422 without a fault', reply(422)],
    ['500 that may have started', fault(500, 'internal')],
    ['a deal under 201', shows({}, 201)],
    ['an empty 202', reply(202)],
  ] as const) {
    it(`is unknown after ${what}`, async () => {
      expect((await refund(answer)).result.outcome).to.equal('unknown');
    });
  }
});
