import { refuseRefund, type HttpReply, type StoredPayment } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerE from '../index.ts';
import {
  harness,
  callback,
  errorOf,
  faultOf,
  h2hStored,
  order,
  ordered,
  replyOf,
  sum,
  xmlStored,
  type Claims,
} from './messages.ts';

const { recordCall, refundRequest, unanswered } = harness;

const request = { ...refundRequest, money: { amount: '5', currency: 'EUR' } };
const refund = (answer: HttpReply, payment: StoredPayment) => harness.refund(answer, request, payment);

describe('the answer to a refund', () => {
  const back = (attributes: string, inside = sum('value="500" cur="EUR" exp="2" dir="out"')): HttpReply =>
    ordered(attributes, inside);
  const given = (changes: Claims = {}): HttpReply =>
    reply(200, callback({ op: '"refund"', orig: '900719925474099301', tranRef: '7', sum: '5', ...changes }));

  for (const [name, answer, expected] of [
    ['REFUND_SENT', back('kind="REFUND_SENT"'), { outcome: 'pending', providerReference: 'E0000004711' }],
    [
      'REFUND_FAILED',
      back('kind="REFUND_FAILED"'),
      { outcome: 'failed', nothingCharged: true, providerReference: 'E0000004711' },
    ],
    ['REFUNDED', back('kind="REFUNDED"'), { outcome: 'unknown', unknownStatus: 'REFUNDED' }],
    ['another sum', back('kind="REFUND_SENT"', sum('value="501" cur="EUR" exp="2" dir="out"')), { outcome: 'unknown' }],
    ['another order', reply(200, replyOf(order(undefined, 'code="GW-1-1" txn="E1"'))), { outcome: 'unknown' }],
    ['422', reply(422, faultOf('NOT_POSSIBLE', 'no')), { outcome: 'failed', nothingCharged: true }],
    ['404', reply(404, faultOf('NO_ORDER', 'no')), { outcome: 'failed', nothingCharged: true }],
    ['409', reply(409, faultOf('IN_WORK', 'yes')), { outcome: 'unknown' }],
    ['502', reply(502, '<html></html>'), { outcome: 'unknown' }],
  ] as const) {
    it(`is ${expected.outcome} for ${name} of XML`, async () => {
      const outcome = await refund(answer, xmlStored);
      expect(outcome).to.include(expected);
      expect('nothingCharged' in outcome).to.equal('nothingCharged' in expected);
    });
  }

  for (const [name, answer, expected] of [
    ['0000', given(), { outcome: 'succeeded', providerReference: '7' }],
    ['2000', given({ rc: '"2000"' }), { outcome: 'pending', providerReference: '7' }],
    ['2002', given({ rc: '"2002"' }), { outcome: 'pending', providerReference: '7' }],
    ['4005', given({ rc: '"4005"' }), { outcome: 'failed', nothingCharged: true, providerReference: '7' }],
    ['7000', given({ rc: '"7000"' }), { outcome: 'unknown', unknownStatus: '7000' }],
    ['another sum', given({ sum: '5.01' }), { outcome: 'unknown' }],
    ['another reference', given({ inv: '"GW-1-1"' }), { outcome: 'unknown' }],
    ['another sale', given({ orig: '8' }), { outcome: 'unknown' }],
    ['a sale', given({ op: '"sale"' }), { outcome: 'unknown' }],
    ['a stale answer', given({ iat: '1' }), { outcome: 'unknown' }],
    ['422', errorOf(422, 'NOT_POSSIBLE', 'no'), { outcome: 'failed', nothingCharged: true }],
    ['500', errorOf(500, 'INTERNAL', 'unknown'), { outcome: 'unknown' }],
  ] as const) {
    it(`is ${expected.outcome} for ${name} of a token`, async () => {
      const outcome = await refund(answer, h2hStored);
      expect(outcome).to.include(expected);
      expect('nothingCharged' in outcome).to.equal('nothingCharged' in expected);
      expect(outcome).not.to.have.property('decline');
    });
  }

  it('is not requested without a number of E, or for an invalid amount', async () => {
    const { result, requests } = await recordCall([], (ctx) => providerE.refund!(unanswered, request, ctx));
    expect(result).to.include({ nothingCharged: true });
    const odd = { ...request, money: { amount: '0.001', currency: 'EUR' } };
    expect(refuseRefund(providerE.manifest, xmlStored, odd)).to.include({ nothingCharged: true });
    expect(requests).to.deep.equal([]);
  });
});
