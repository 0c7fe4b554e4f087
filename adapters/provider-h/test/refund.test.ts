import { refuseRefund } from '@paywright/contract';
import { claimOf } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerH from '../index.ts';
import { harness, answer, errors, refusal, shown, spelled, type Members } from './messages.ts';

const { unanswered, stored, refund, refundRequest } = harness;

const providerReference = '9007199254740993771';

describe('refund', () => {
  const returned = (state: string, members: Members = {}): Members => ({
    pay_no: spelled(providerReference),
    back: { id: 'rt118', state, n: spelled('10.00'), cur: 'EUR', ...members },
  });

  for (const [state, expected] of [
    ['queued', { outcome: 'pending' }],
    ['done', { outcome: 'succeeded' }],
    ['failed', { outcome: 'failed', nothingCharged: true, reason: 'the return is failed' }],
    ['reversed', { outcome: 'failed', nothingCharged: true, reason: 'the return is reversed' }],
    ['asleep', { outcome: 'pending', unknownStatus: 'asleep' }],
  ] as const) {
    it(`reads ${state} as ${expected.outcome}, first and repeated`, async () => {
      for (const status of [202, 200]) {
        expect(await refund(answer(status, returned(state)))).to.deep.equal({
          ...expected,
          providerReference: 'rt118',
        });
      }
    });
  }

  for (const [name, message] of [
    ['another pay', { ...returned('done'), pay_no: spelled('1') }],
    ['another sum', returned('done', { n: spelled('10.01') })],
    ['another currency', returned('done', { cur: 'USD' })],
    ['no number', returned('done', { id: '' })],
    ['no return', shown('done')],
  ] as const) {
    it(`is unknown if the answer shows ${name}`, async () => {
      expect((await refund(answer(202, message))).outcome).to.equal('unknown');
    });
  }

  it('is refused if it exceeds the paid amount', async () => {
    expect(claimOf(await refund(refusal(422, 'too_much')))).to.equal('nothing charged');
    expect(claimOf(await refund(refusal(422, 'other')))).to.equal('unknown');
    expect(claimOf(await refund(refusal(409, 'key_reused')))).to.equal('unknown');
  });
  for (const [given, claim] of errors) {
    it(`reads ${given.status} ${Buffer.from(given.body).toString().slice(0, 24)} as ${claim}`, async () => {
      expect(claimOf(await refund(given))).to.equal(claim);
    });
  }

  it('is never sent without a number of H, or for an amount that the currency cannot express', () => {
    const yen = { money: { amount: '1.5', currency: 'JPY' } };
    for (const outcome of [
      refuseRefund(providerH.manifest, unanswered, refundRequest),
      refuseRefund(providerH.manifest, stored, yen),
    ]) {
      expect(claimOf(outcome!)).to.equal('nothing charged');
    }
  });
});
