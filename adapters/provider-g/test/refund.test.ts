import { refuseRefund, type HttpReply } from '@paywright/contract';
import { noAnswer } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerG from '../index.ts';
import { harness, boxed, errorReply, headersFor, reference, signedReply, txn, unclear } from './messages.ts';

const { stored, refund, refundRequest } = harness;

describe('refund', () => {
  const said = { g_txn: txn, gw_ref: reference, status: 'REFUND_WAIT', minor: 1000, cur: 'EUR', why: null };
  const answer = (more: object = {}, ref = refundRequest.reference): HttpReply =>
    signedReply(boxed(ref, { ...said, ...more }));

  for (const [status, expected] of [
    ['REFUND_WAIT', { outcome: 'pending' }],
    ['REFUND_OK', { outcome: 'succeeded' }],
    ['REFUND_BAD', { outcome: 'failed', nothingCharged: true }],
    ['REFUND_BACK', { outcome: 'unknown', unknownStatus: 'REFUND_BACK' }],
    ['PAID', { outcome: 'unknown' }],
  ] as const) {
    it(`reads ${status} as ${expected.outcome}, under the payment's own id`, async () => {
      expect(await refund(answer({ status }))).to.include({ ...expected, providerReference: txn });
    });
  }

  for (const [what, given] of [
    ['another refund', answer({ status: 'REFUND_OK' }, 'GW-10042-1-R2')],
    ['another charge', answer({ g_txn: '1' })],
    ['another payment', answer({ gw_ref: 'GW-10042-2' })],
    ['another sum', answer({ minor: 1001 })],
    ['another currency', answer({ cur: 'USD' })],
    ['another merchant', answer({ mid: 'M1000428' })],
    ['an unsigned answer', { ...answer(), headers: headersFor('x') }],
    ...unclear,
  ] as const) {
    it(`leaves the refund unknown after ${what}`, async () => {
      const outcome = await refund(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.property('nothingCharged');
    });
  }

  for (const [status, reason] of [
    [422, 'NOT_ALLOWED'],
    [404, 'NO_CHARGE'],
    [429, 'SLOW_DOWN'],
    [503, 'CLOSED'],
  ] as const) {
    it(`refunds nothing after ${status} ${reason} that had not begun`, async () => {
      expect(await refund(errorReply(status, reason, false))).to.include({ outcome: 'failed', nothingCharged: true });
    });
  }

  it('sends no request without G’s id, or with an amount that the currency cannot express', () => {
    const { manifest } = providerG;
    expect(refuseRefund(manifest, {}, refundRequest)).to.include({ nothingCharged: true });
    const odd = { ...refundRequest, money: { amount: '10.001', currency: 'EUR' } };
    expect(refuseRefund(manifest, stored, odd)).to.include({ nothingCharged: true });
  });

  it('passes a lost connection on to core', async () => {
    const failed = await refund(() => noAnswer()).catch((error: unknown) => error);
    expect(failed).to.have.property('failure', 'no_answer');
  });
});
