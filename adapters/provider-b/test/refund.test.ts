import type { Outcome } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerB from '../index.ts';
import { harness, answer, nothing, problem, sent } from './messages.ts';

const { refund, refundRequest, stored } = harness;

describe('refund at B', () => {
  it('names the operation without leading zeros', async () => {
    const pending = { outcome: 'pending', providerReference: '8812003/12' };
    expect(await refund(answer('taken', { op_no: '0012' }))).to.deep.equal(pending);
    expect(await refund(answer('taken', { op_no: '12', repeat: '1' }))).to.deep.equal(pending);
  });

  for (const code of ['101', '102', '103', '104', '130', '131']) {
    it(`treats problem ${code} as nothing returned`, async () => {
      expect(await refund(problem(code)))
        .to.include(nothing)
        .and.not.have.property('decline');
    });
  }

  for (const [what, given] of [
    ['problem 120', problem('120')],
    ['problem 110', problem('110')],
    ['another kind', answer('declined', { op_no: '1' })],
    ['no op_no', answer('taken')],
    ['another transaction', answer('taken', { b_txn: '8812004', op_no: '1' })],
    ['another reference', answer('taken', { gw_ref: 'GW-10042-2', op_no: '1' })],
    ['a 500', reply(500)],
    ['a 409', reply(409)],
  ] as const) {
    it(`treats ${what} as unknown`, async () => {
      const outcome: Outcome = await refund(given);
      expect(outcome.outcome).to.equal('unknown');
    });
  }

  it('sends a note with a return', async () => {
    const fields = await sent((ctx) => providerB.refund!(stored, { ...refundRequest, note: 'too small' }, ctx));
    expect([fields.get('note'), fields.get('return_ref')]).to.deep.equal(['too small', 'GW-10042-1-R1']);
  });
});
