import type { HttpReply } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { harness, answer, error, unreadable } from './messages.ts';

const { refundRequest } = harness;

const refund = (given: HttpReply) =>
  harness.refund(given, { ...refundRequest, money: { amount: '5', currency: 'EUR' } });

describe('refund at D', () => {
  const given = { D_Op: '3', D_Id: '20', D_Sum: '500' };

  for (const [code, outcome] of [
    ['0900', { outcome: 'succeeded' }],
    ['9997', { outcome: 'pending' }],
    ['8888', { outcome: 'unknown', unknownStatus: '3:8888' }],
    ['0000', { outcome: 'unknown', unknownStatus: '3:0000' }],
  ] as const) {
    it(`reads ${code} as ${outcome.outcome}`, async () => {
      expect(await refund(answer({ ...given, D_Code: code }))).to.deep.equal({ providerReference: '20', ...outcome });
    });
  }

  for (const code of ['0100', '0190', '0399', '0901']) {
    it(`reads ${code} as nothing refunded`, async () => {
      const outcome = await refund(answer({ ...given, D_Code: code }));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true, providerReference: '20' });
      expect(outcome).not.to.have.property('decline');
    });
  }

  for (const [status, code] of [
    [422, 'too_much'],
    [422, 'not_payable'],
    [400, 'bad_member'],
    [401, 'bad_shop'],
    [429, 'slow_down'],
    [500, 'not_started'],
    [503, 'closed'],
  ] as const) {
    it(`refunds nothing after ${status} ${code}`, async () => {
      const outcome = await refund(error(status, code));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.have.property('decline');
    });
  }

  for (const [what, answered_] of [
    ...unreadable,
    ['another sum', answer({ ...given, D_Code: '0900', D_Sum: '501' })],
    ['another currency', answer({ ...given, D_Code: '0900', D_Cur: '840' })],
    ['a payment', answer({ ...given, D_Op: '0', D_Code: '0000' })],
    ['404', error(404, 'no_such_order')],
  ] as const) {
    it(`is unknown after ${what}`, async () => {
      const outcome = await refund(answered_);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('providerReference', 'decline', 'nothingCharged');
    });
  }
});
