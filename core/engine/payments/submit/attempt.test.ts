import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Refund } from '../../../database/collections/refund.ts';
import { newAttempt, paymentRecord, at } from '../testing/steps.ts';
import { toRefundRequest } from './attempt.ts';

const refund = (n: number, attempt: number, amount: string, state: Refund['state']): Refund => ({
  n,
  attempt,
  reference: `GW-10042-${attempt}-R${n}`,
  amount,
  state,
  answeredSucceeded: false,
  providerReference: null,
  requestedAt: at(20),
  sentAt: null,
  reportedBefore: [],
  notShownAt: null,
  checks: 0,
  lastCheckedAt: null,
});

describe('toRefundRequest', () => {
  const refunds = [
    refund(1, 1, '2.5', 'succeeded'),
    refund(2, 1, '1', 'failed'),
    refund(3, 1, '0.25', 'unknown'),
    refund(4, 2, '3', 'succeeded'),
    refund(5, 1, '4', 'requested'),
    refund(6, 1, '1', 'requested'),
  ];
  const record = paymentRecord({ attempts: [newAttempt(1), newAttempt(2)], refunds });

  it('adds up the earlier refunds of the same attempt, with those without an outcome and without failed ones', () => {
    expect(toRefundRequest(record, refunds[4]!, false)).to.deep.equal({
      reference: 'GW-10042-1-R5',
      money: { amount: '4', currency: 'EUR' },
      note: null,
      refundedSoFar: '2.75',
      isRepetition: false,
    });
    expect(toRefundRequest(record, refunds[0]!, true)).to.include({ refundedSoFar: '0', isRepetition: true });
  });
});
