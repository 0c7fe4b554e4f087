import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { RefundStatus } from '../types/refund-status.ts';
import { checkHistory, expectedResult, resultOf } from '../testing/expectations.ts';
import {
  answerWith,
  requestRefund,
  cancelPayment,
  declined,
  everyOrder,
  withReference,
  nothingWasCharged,
  openAttempt,
  pending,
  answerRefund,
  succeeded,
  chargebackEvent,
  paymentEvent,
  refundEvent,
  unknownOutcome,
  describeHistory,
  type TestStep,
} from '../testing/steps.ts';

const partial = { amount: '4.00' } as const;
const second = { attempt: 2 } as const;
const twice = (step: TestStep): TestStep[] => [step, step];
const success = paymentEvent('succeeded');
const failure = paymentEvent('failed', { decline: '51' });
const failure2 = paymentEvent('failed', second);
const reversal = paymentEvent('cancelled', { orRefunded: true, dedupeKey: 'reversal' });
const success2 = paymentEvent('succeeded', second);
const refund = (status: RefundStatus, amount: string, number?: string): TestStep =>
  refundEvent(status, amount, number === undefined ? {} : { subReference: number });
const total = (amount: string): TestStep =>
  refundEvent('succeeded', amount, { cumulative: true, dedupeKey: `total:${amount}` });
const stage = (status: 'opened' | 'won' | 'lost' | 'reversed', number?: string, orderHint?: number): TestStep =>
  chargebackEvent(status, {
    ...(number === undefined ? {} : { subReference: number }),
    ...(orderHint === undefined ? {} : { orderHint }),
    dedupeKey: `${status}:${number}:${orderHint}`,
  });

/** Small sets of facts, each in every order in which it can happen. */
const sets: Record<string, TestStep[]> = {
  'an answer, its callbacks and duplicates': [
    openAttempt(1),
    answerWith(withReference(succeeded)),
    ...twice(success),
    paymentEvent('pending'),
  ],
  'a callback that beats a pending answer': [
    openAttempt(1),
    answerWith(withReference(pending)),
    success,
    paymentEvent('authorised'),
    failure,
  ],
  'an answer that never came': [openAttempt(1), answerWith(unknownOutcome), success, paymentEvent('pending'), failure],
  'every end of an attempt': [
    openAttempt(1),
    failure,
    paymentEvent('cancelled'),
    paymentEvent('expired'),
    paymentEvent('late'),
    answerWith(withReference(declined)),
  ],
  'cancelled by the payer, and paid by another attempt': [
    openAttempt(1),
    answerWith({ outcome: 'failed', cancelled: true }),
    paymentEvent('cancelled'),
    openAttempt(2),
    answerWith(withReference(succeeded, 2), second),
  ],
  'cancelled by the payer, although a success is on its way': [
    openAttempt(1),
    answerWith({ outcome: 'failed', cancelled: true }),
    success,
    paymentEvent('expired'),
  ],
  'failed and expired': [
    openAttempt(1),
    failure,
    paymentEvent('expired'),
    paymentEvent('underpaid'),
    answerWith(pending),
  ],
  'expired alone': [openAttempt(1), paymentEvent('expired'), answerWith(pending), paymentEvent('pending')],
  'failed, then cancelled by the merchant': [
    openAttempt(1),
    failure,
    paymentEvent('expired'),
    cancelPayment,
    answerWith(pending),
  ],
  'paid after the merchant cancelled': [
    openAttempt(1),
    failure,
    cancelPayment,
    paymentEvent('overpaid'),
    refund('succeeded', '10'),
  ],
  'two attempts that fail': [
    openAttempt(1),
    answerWith(nothingWasCharged),
    openAttempt(2),
    failure2,
    answerWith(withReference(pending, 2), second),
  ],
  'a late success of the first attempt': [
    openAttempt(1),
    failure,
    openAttempt(2),
    success,
    failure2,
    paymentEvent('expired'),
  ],
  'a double charge': [openAttempt(1), failure, openAttempt(2), success2, success, refund('succeeded', '10', 'R-1')],
  'a double charge with one refunded charge': [
    openAttempt(1),
    failure,
    openAttempt(2),
    success,
    answerWith(withReference(succeeded, 2), second),
    refundEvent('succeeded', '10', second),
    refund('reversed', '4'),
  ],
  'events that are not credible': [
    openAttempt(1),
    answerWith(withReference(pending)),
    paymentEvent('succeeded', { amount: '9.99', dedupeKey: 'a' }),
    paymentEvent('succeeded', { currency: 'USD', dedupeKey: 'b' }),
    paymentEvent('overpaid', { amount: null, dedupeKey: 'c' }),
    paymentEvent('late', { mode: 'live', dedupeKey: 'd' }),
  ],
  'refunds and a chargeback before the success': [
    openAttempt(1),
    success,
    ...twice(refund('succeeded', '6', 'R-1')),
    refund('succeeded', '4'),
    stage('opened'),
  ],
  'one numbered refund through all its states': [
    openAttempt(1),
    success,
    refund('pending', '10', 'R-1'),
    refund('failed', '10', 'R-1'),
    refund('succeeded', '10', 'R-1'),
    refund('reversed', '10', 'R-1'),
  ],
  'a numbered refund that is reversed in part': [
    openAttempt(1),
    success,
    refund('succeeded', '10', 'R-1'),
    refund('reversed', '4', 'R-1'),
    refund('succeeded', '3', 'R-2'),
  ],
  'an unnumbered refund that is reversed in part': [
    openAttempt(1),
    success,
    refund('succeeded', '10'),
    refund('reversed', '4'),
    refund('failed', '4'),
  ],
  'refunds and running totals': [
    openAttempt(1),
    success,
    refund('succeeded', '3', 'R-1'),
    total('3'),
    total('8'),
    total('5'),
  ],
  'money given back, captured or not': [
    openAttempt(1),
    paymentEvent('authorised'),
    success,
    ...twice(reversal),
    refund('succeeded', '3', 'R-1'),
  ],
  'reserved money that is released, captured or not': [openAttempt(1), paymentEvent('authorised'), reversal, failure],
  'a numbered refund that needs the merchant and succeeds': [
    openAttempt(1),
    success,
    refund('pending', '10', 'R-1'),
    ...twice(refund('needs_merchant', '10', 'R-1')),
    refund('succeeded', '10', 'R-1'),
  ],
  'our own refund that needs the merchant': [
    openAttempt(1),
    success,
    requestRefund(1, '4'),
    answerRefund(1, { outcome: 'pending', needsMerchant: true, providerReference: 'R-1' }),
    answerRefund(1, { outcome: 'pending', providerReference: 'R-1' }),
    refund('needs_merchant', '4', 'R-1'),
    refund('failed', '4', 'R-1'),
  ],
  'our own numbered refund': [
    openAttempt(1),
    success,
    requestRefund(1, '4'),
    answerRefund(1, { outcome: 'pending', providerReference: 'R-1' }),
    answerRefund(1, { outcome: 'succeeded', providerReference: 'R-1' }),
    refund('succeeded', '4', 'R-1'),
    refund('failed', '4', 'R-1'),
  ],
  'our own refund whose number comes late': [
    openAttempt(1),
    success,
    requestRefund(1, '4'),
    answerRefund(1, { outcome: 'succeeded' }),
    answerRefund(1, { outcome: 'pending', providerReference: 'R-1' }),
    refund('succeeded', '4', 'R-1'),
  ],
  'our own refunds without numbers': [
    openAttempt(1),
    answerWith(withReference(succeeded)),
    requestRefund(1, '4'),
    answerRefund(1, { outcome: 'succeeded', providerReference: 'P-1' }),
    refundEvent('succeeded', partial.amount),
    refundEvent('failed', partial.amount),
  ],
  'our own refund that the answer fails': [
    openAttempt(1),
    success,
    requestRefund(1, '4'),
    answerRefund(1, { outcome: 'unknown' }),
    answerRefund(1, { outcome: 'failed', nothingCharged: true }),
    answerRefund(1, { outcome: 'succeeded' }),
  ],
  'a chargeback case with hints': [
    openAttempt(1),
    success,
    stage('opened', 'C-1', 1),
    stage('won', 'C-1', 2),
    stage('lost', 'C-1', 3),
    stage('won', 'C-1', 4),
  ],
  'a chargeback case without hints': [
    openAttempt(1),
    success,
    stage('lost', 'C-1'),
    stage('won', 'C-1'),
    stage('reversed', 'C-1', 1),
    stage('opened', 'C-1'),
  ],
  'a chargeback without a number and a case with one': [
    openAttempt(1),
    success,
    stage('opened'),
    stage('lost'),
    stage('won', 'C-1'),
    stage('opened', 'C-1'),
  ],
};

describe('a payment', () => {
  for (const [name, steps] of Object.entries(sets)) {
    it(`has the same result for every order: ${name}`, () => {
      const expected = expectedResult(steps);
      let orders = 0;
      for (const history of everyOrder(steps)) {
        orders += 1;
        checkHistory(history);
        expect(resultOf(history.record), describeHistory(history)).to.deep.equal(expected);
      }
      expect(orders).to.be.greaterThan(1);
    });
  }
});
