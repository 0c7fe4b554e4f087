import { refuseRefund, type HttpReply } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import upi from '../index.ts';
import { harness, refusal } from './messages.ts';

const { refund, refundRequest, unanswered, stored } = harness;

describe('refund at the switch', () => {
  const made = (state: string, more: Readonly<Record<string, unknown>> = {}): HttpReply =>
    reply(200, {
      ok: true,
      code: state,
      data: { r_txn: 'R1', u_txn: 'U001', key: 'GW-10042-1-R1', paise: 1000, state, ...more },
    });
  const providerReference = 'R1';

  for (const [state, expected] of [
    ['REFUND_PENDING', { outcome: 'pending' }],
    ['REFUND_DONE', { outcome: 'succeeded' }],
    ['REFUND_FAILED', { outcome: 'failed', nothingCharged: true }],
    ['REFUND_REVERSED', { outcome: 'failed', nothingCharged: true }],
    ['ODD', { outcome: 'pending', unknownStatus: 'ODD' }],
  ] as const) {
    it(`reads ${state}`, async () =>
      expect(await refund(made(state))).to.deep.equal({ ...expected, providerReference }));
  }

  for (const [name, answer] of [
    ['422 TOO_MUCH', refusal(422, 'TOO_MUCH')],
    ['422 of another code', refusal(422, 'RISK')],
    ['400 FORMAT', refusal(400, 'FORMAT')],
    ['401 CHECK', refusal(401, 'CHECK')],
    ['429', reply(429)],
    ['500 NOT_STARTED', refusal(500, 'NOT_STARTED')],
  ] as const) {
    it(`treats ${name} as failed, nothing refunded`, async () => {
      const outcome = await refund(answer);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.have.property('decline');
    });
  }

  for (const [name, answer] of [
    ['409', refusal(409, 'REF_REUSED')],
    ['404', refusal(404, 'NO_TXN')],
    ['422 without a code', reply(422)],
    ['500', reply(500)],
    ['another transaction', made('REFUND_DONE', { u_txn: 'U002' })],
    ['another key', made('REFUND_DONE', { key: 'GW-10042-1-R2' })],
    ['another amount', made('REFUND_DONE', { paise: 999 })],
    ['no number', made('REFUND_DONE', { r_txn: '' })],
    ['a body that is not JSON', reply(200, 'ok')],
  ] as const) {
    it(`treats ${name} as unknown`, async () => expect((await refund(answer)).outcome).to.equal('unknown'));
  }

  it('sends no request without the transaction, or for part of a paisa', () => {
    const money = { amount: '0.001', currency: 'INR' };
    const none = refuseRefund(upi.manifest, unanswered, refundRequest);
    const part = refuseRefund(upi.manifest, stored, { money });
    for (const outcome of [none, part]) expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
  });
});
