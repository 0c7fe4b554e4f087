import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkHistory, expectedResult, resultOf } from '../testing/expectations.ts';
import {
  answers,
  requestsRefund,
  cancels,
  declined,
  everyOrder,
  named,
  nothingWasCharged,
  opens,
  pending,
  refundAnswers,
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
const success2 = paymentEvent('succeeded', second);
const refund = (status: 'pending' | 'failed' | 'succeeded' | 'reversed', amount: string, number?: string): TestStep =>
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
    opens(1),
    answers(named(succeeded)),
    ...twice(success),
    paymentEvent('pending'),
  ],
  'a callback that beats a pending answer': [
    opens(1),
    answers(named(pending)),
    success,
    paymentEvent('authorised'),
    failure,
  ],
  'an answer that never came': [opens(1), answers(unknownOutcome), success, paymentEvent('pending'), failure],
  'every end of an attempt': [
    opens(1),
    failure,
    paymentEvent('cancelled'),
    paymentEvent('expired'),
    paymentEvent('late'),
    answers(named(declined)),
  ],
  'failed and expired': [opens(1), failure, paymentEvent('expired'), paymentEvent('underpaid'), answers(pending)],
  'expired alone': [opens(1), paymentEvent('expired'), answers(pending), paymentEvent('pending')],
  'failed, then cancelled by the merchant': [opens(1), failure, paymentEvent('expired'), cancels, answers(pending)],
  'paid after the merchant cancelled': [
    opens(1),
    failure,
    cancels,
    paymentEvent('overpaid'),
    refund('succeeded', '10'),
  ],
  'two attempts that fail': [
    opens(1),
    answers(nothingWasCharged),
    opens(2),
    failure2,
    answers(named(pending, 2), second),
  ],
  'a late success of the first attempt': [opens(1), failure, opens(2), success, failure2, paymentEvent('expired')],
  'a double charge': [opens(1), failure, opens(2), success2, success, refund('succeeded', '10', 'R-1')],
  'a double charge of which one is given back': [
    opens(1),
    failure,
    opens(2),
    success,
    answers(named(succeeded, 2), second),
    refundEvent('succeeded', '10', second),
    refund('reversed', '4'),
  ],
  'what cannot be believed': [
    opens(1),
    answers(named(pending)),
    paymentEvent('succeeded', { amount: '9.99', dedupeKey: 'a' }),
    paymentEvent('succeeded', { currency: 'USD', dedupeKey: 'b' }),
    paymentEvent('overpaid', { amount: null, dedupeKey: 'c' }),
    paymentEvent('late', { mode: 'live', dedupeKey: 'd' }),
  ],
  'refunds and a chargeback before the success': [
    opens(1),
    success,
    ...twice(refund('succeeded', '6', 'R-1')),
    refund('succeeded', '4'),
    stage('opened'),
  ],
  'one numbered refund through all its states': [
    opens(1),
    success,
    refund('pending', '10', 'R-1'),
    refund('failed', '10', 'R-1'),
    refund('succeeded', '10', 'R-1'),
    refund('reversed', '10', 'R-1'),
  ],
  'a numbered refund that is reversed in part': [
    opens(1),
    success,
    refund('succeeded', '10', 'R-1'),
    refund('reversed', '4', 'R-1'),
    refund('succeeded', '3', 'R-2'),
  ],
  'an unnumbered refund that is reversed in part': [
    opens(1),
    success,
    refund('succeeded', '10'),
    refund('reversed', '4'),
    refund('failed', '4'),
  ],
  'refunds and running totals': [
    opens(1),
    success,
    refund('succeeded', '3', 'R-1'),
    total('3'),
    total('8'),
    total('5'),
  ],
  'our own numbered refund': [
    opens(1),
    success,
    requestsRefund(1, '4'),
    refundAnswers(1, { outcome: 'pending', providerReference: 'R-1' }),
    refundAnswers(1, { outcome: 'succeeded', providerReference: 'R-1' }),
    refund('succeeded', '4', 'R-1'),
    refund('failed', '4', 'R-1'),
  ],
  'our own refund whose number comes late': [
    opens(1),
    success,
    requestsRefund(1, '4'),
    refundAnswers(1, { outcome: 'succeeded' }),
    refundAnswers(1, { outcome: 'pending', providerReference: 'R-1' }),
    refund('succeeded', '4', 'R-1'),
  ],
  'our own refunds without numbers': [
    opens(1),
    answers(named(succeeded)),
    requestsRefund(1, '4'),
    refundAnswers(1, { outcome: 'succeeded', providerReference: 'P-1' }),
    refundEvent('succeeded', partial.amount),
    refundEvent('failed', partial.amount),
  ],
  'our own refund that the answer fails': [
    opens(1),
    success,
    requestsRefund(1, '4'),
    refundAnswers(1, { outcome: 'unknown' }),
    refundAnswers(1, { outcome: 'failed', nothingCharged: true }),
    refundAnswers(1, { outcome: 'succeeded' }),
  ],
  'a chargeback case with hints': [
    opens(1),
    success,
    stage('opened', 'C-1', 1),
    stage('won', 'C-1', 2),
    stage('lost', 'C-1', 3),
    stage('won', 'C-1', 4),
  ],
  'a chargeback case without hints': [
    opens(1),
    success,
    stage('lost', 'C-1'),
    stage('won', 'C-1'),
    stage('reversed', 'C-1', 1),
    stage('opened', 'C-1'),
  ],
  'a nameless chargeback beside a case': [
    opens(1),
    success,
    stage('opened'),
    stage('lost'),
    stage('won', 'C-1'),
    stage('opened', 'C-1'),
  ],
};

describe('the order of arrival', () => {
  for (const [name, steps] of Object.entries(sets)) {
    it(`does not matter: ${name}`, () => {
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
