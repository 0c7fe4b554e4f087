import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Refund } from '../../../database/collections/refund.ts';
import { newAttempt, paymentRecord, at } from '../testing/steps.ts';
import { cardInput } from '../testing/setup.ts';
import { toRefundRequest, toSubmission } from './attempt.ts';

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

describe('toSubmission', () => {
  const record = paymentRecord({ attempts: [newAttempt(1)] });
  const payer = {
    ...cardInput().payer,
    phoneNumber: '+351 912 345 678',
    country: 'uk',
    name: ' ',
    ipAddress: '::ffff:203.0.113.9',
  };
  const browserInfo = { userAgent: 'x', language: '*', screenWidth: '411.4285' };
  const input = cardInput({ payer, browserInfo });

  it('gives the adapter the payer as providers can read it', () => {
    const submission = toSubmission(record, record.attempts[0]!, input);
    expect(submission.payer).to.deep.equal({
      ...payer,
      phoneNumber: '+351912345678',
      country: 'GB',
      name: '',
      ipAddress: '203.0.113.9',
    });
    expect(submission.browserInfo).to.deep.equal({ userAgent: 'x', screenWidth: '411', javaEnabled: false });
  });

  it('leaves the input as sent, for the resource and for another provider', () => {
    toSubmission(record, record.attempts[0]!, input);
    expect(input.payer).to.include({ country: 'uk', phoneNumber: '+351 912 345 678' });
  });

  it('has no browser data if none of it can be read', () => {
    const submission = toSubmission(record, record.attempts[0]!, cardInput({ browserInfo: { language: '*' } }));
    expect(submission).not.to.have.property('browserInfo');
  });
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
