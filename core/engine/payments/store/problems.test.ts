import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { decide } from '../state/decide.ts';
import type { Fact } from '../state/fact.ts';
import { at, chargebackEvent, feeOf, newAttempt, paymentRecord, paymentEvent } from '../testing/steps.ts';
import { newRefund } from '../refund/new-refund.ts';
import { problemsOf } from './problems.ts';

const charged = { outcome: 'succeeded', settledAt: at(2), providerReference: 'P-1' } as const;
const paid = (members: Partial<PaymentRecord> = {}): PaymentRecord =>
  paymentRecord({ attempts: [newAttempt(1, charged)], ...members });

function after(record: PaymentRecord, fact: Fact): PaymentRecord {
  const decision = decide(record, fact, feeOf);
  if (decision.kind !== 'changed') throw new Error('the fact changed nothing');
  return decision.next;
}

describe('problemsOf', () => {
  it('is empty for a payment that is paid, declined or waiting', () => {
    expect(problemsOf(paymentRecord())).to.deep.equal([]);
    expect(problemsOf(paid())).to.deep.equal([]);
    expect(problemsOf(paymentRecord({ attempts: [newAttempt(1)] }))).to.deep.equal([]);
    expect(
      problemsOf(paymentRecord({ attempts: [newAttempt(1, { outcome: 'failed', decline: '51' })] })),
    ).to.deep.equal([]);
  });

  it('names an outcome that is unknown or not checked any more, until the outcome is known', () => {
    const open = paymentRecord({ statusId: 1, attempts: [newAttempt(1, { unknown: true, needsReview: true })] });
    expect(problemsOf(open)).to.deep.equal(['outcome_unknown', 'needs_review']);
    const settled = after(open, paymentEvent('succeeded'));
    expect(problemsOf(settled)).to.deep.equal([]);
  });

  it('names an open dispute, and only the charge-back after it is lost', () => {
    const opened = after(paid({ statusId: 2, paidAmount: '10' }), chargebackEvent('opened', { subReference: 'C-1' }));
    expect(problemsOf(opened)).to.deep.equal(['dispute_open', 'charged_back']);
    const lost = after(opened, chargebackEvent('lost', { subReference: 'C-1', dedupeKey: 'lost' }));
    expect(problemsOf(lost)).to.deep.equal(['charged_back']);
    const won = after(opened, chargebackEvent('won', { subReference: 'C-1', dedupeKey: 'won' }));
    expect(problemsOf(won)).to.deep.equal([]);
  });

  it('names two charges', () => {
    const second = newAttempt(2, { ...charged, providerReference: 'P-2', settledAt: at(3) });
    expect(problemsOf(paid({ attempts: [newAttempt(1, charged), second] }))).to.deep.equal(['charged_twice']);
  });

  it('names coins that do not pay, and coins in excess', () => {
    const coins = { received: '4', method: 'crypto' } as const;
    expect(problemsOf(paymentRecord({ attempts: [newAttempt(1, coins)] }))).to.deep.equal(['underpaid']);
    const excess = newAttempt(1, { ...charged, received: '10.5' });
    expect(problemsOf(paid({ attempts: [excess] }))).to.deep.equal(['overpaid']);
    expect(problemsOf(paid({ attempts: [newAttempt(1, { ...charged, received: '10' })] }))).to.deep.equal([]);
  });

  it('names refunds that are pending, failed or to be sent by the merchant', () => {
    for (const [state, problems] of [
      ['pending', ['refund_pending']],
      ['unknown', ['refund_pending']],
      ['failed', ['refund_failed']],
      ['needs_merchant', ['refund_needs_merchant']],
      ['succeeded', []],
    ] as const) {
      const record = paid();
      const refund = newRefund(record, record.attempts[0]!, { amount: '4', at: at(5), sentAt: at(5) });
      expect(
        problemsOf({ ...record, refunds: [{ ...refund, state, answeredSucceeded: state === 'succeeded' }] }),
        state,
      ).to.deep.equal(problems);
    }
  });
});
