import { refuseRefund, type HttpReply, type Outcome } from '@paywright/contract';
import { noAnswer, firstRefund } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerG from '../index.ts';
import { boxed, errorReply, headersFor, provider, reference, signedReply, stored, txn, unclear } from './helpers.ts';

describe('what G answers to a refund', () => {
  const request = { reference: 'GW-10042-1-R1', money: { amount: '10', currency: 'EUR' }, ...firstRefund };
  const said = { g_txn: txn, gw_ref: reference, status: 'REFUND_WAIT', minor: 1000, cur: 'EUR', why: null };
  const answer = (more: object = {}, ref = request.reference): HttpReply =>
    signedReply(boxed(ref, { ...said, ...more }));
  const refund = (given: HttpReply, payment = stored): Promise<Outcome> =>
    providerG.refund!(payment, request, provider([given]));

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
    it(`gives nothing back after ${status} ${reason} that had not begun`, async () => {
      expect(await refund(errorReply(status, reason, false))).to.include({ outcome: 'failed', nothingCharged: true });
    });
  }

  it('is not asked for without G’s id, or with an amount that the currency has not', () => {
    const { manifest } = providerG;
    expect(refuseRefund(manifest, {}, request)).to.include({ nothingCharged: true });
    const odd = { ...request, money: { amount: '10.001', currency: 'EUR' } };
    expect(refuseRefund(manifest, stored, odd)).to.include({ nothingCharged: true });
  });

  it('lets a lost connection through', async () => {
    const lost = provider(() => noAnswer());
    const failed = await providerG.refund!(stored, request, lost).catch((error: unknown) => error);
    expect(failed).to.have.property('failure', 'no_answer');
  });
});
