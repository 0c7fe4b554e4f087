import { refuseRefund } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerC from '../index.ts';
import { harness, answer, answered, error, unreadable, type Fields } from './messages.ts';

const { stored, refundRequest, unanswered } = harness;

const wanted = { ...refundRequest, money: { amount: '25.9', currency: 'EUR' } };
const refund = (given: ReturnType<typeof answer>, payment = stored, asked = wanted) =>
  answered(
    given,
    async (ctx) => refuseRefund(providerC.manifest, payment, asked) ?? providerC.refund!(payment, asked, ctx),
  );
const refunded = (changes: Fields = {}) =>
  answer({ c_state: 'refunded', c_extra: 'RF-700315', c_rref: wanted.reference, ...changes });
const providerReference = 'RF-700315';

describe('a refund', () => {
  for (const [name, given, expected] of [
    ['refunded', refunded(), { outcome: 'succeeded', providerReference }],
    ['refundwait', refunded({ c_state: 'refundwait' }), { outcome: 'pending', providerReference }],
    ['refundfail', refunded({ c_state: 'refundfail' }), { outcome: 'failed', nothingCharged: true, providerReference }],
    [
      'another state',
      refunded({ c_state: 'success' }),
      { outcome: 'unknown', unknownStatus: 'success', providerReference },
    ],
    ['no id of the refund', refunded({ c_extra: undefined }), { outcome: 'unknown' }],
    ['an id that is no text', refunded({ c_extra: 'a|b' }), { outcome: 'unknown' }],
    ['another refund', refunded({ c_rref: 'GW-10042-1-R2' }), { outcome: 'unknown' }],
    ['no name of the refund', refunded({ c_rref: undefined }), { outcome: 'unknown' }],
    ['422 too_much', error(422, 'too_much'), { outcome: 'failed', nothingCharged: true }],
    ['422 not_payable', error(422, 'not_payable'), { outcome: 'failed', nothingCharged: true }],
    ['400 bad_field', error(400, 'bad_field'), { outcome: 'failed', nothingCharged: true }],
    ['401 bad_key', error(401, 'bad_key'), { outcome: 'failed', nothingCharged: true, misconfigured: true }],
    ['429', error(429, 'slow_down'), { outcome: 'failed', nothingCharged: true }],
    ['503', error(503, 'closed'), { outcome: 'failed', nothingCharged: true }],
    ...unreadable.map(([what, reply]) => [what, reply, { outcome: 'unknown' }] as const),
  ] as const) {
    it(`reads ${name} as ${expected.outcome}`, async () => {
      const { reason: _, ...result } = { reason: '', ...(await refund(given)).result };
      expect(result).to.deep.equal(expected);
    });
  }

  it('sends no request for a refund that C cannot make', async () => {
    const money = (amount: string, currency: string) => ({ ...wanted, money: { amount, currency } });
    for (const [payment, asked] of [
      [unanswered, wanted],
      [stored, money('1', 'USD')],
      [stored, money('1.001', 'EUR')],
    ] as const) {
      const { result, requests } = await refund(refunded(), payment, asked);
      expect(result).to.include({ outcome: 'failed', nothingCharged: true });
      expect(requests).to.deep.equal([]);
    }
  });
});
