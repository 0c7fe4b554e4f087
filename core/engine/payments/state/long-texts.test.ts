import { expect } from 'chai';
import { describe, it } from 'mocha';
import { decide } from './decide.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { answerWith, at, feeOf, newAttempt, paymentRecord, paymentEvent } from '../testing/steps.ts';

const long = 'x'.repeat(1_000_000);

describe('a long text of a provider', () => {
  const record = paymentRecord({ statusId: 1, attempts: [newAttempt(1)] });
  const changed = (fact: Parameters<typeof decide>[1]): PaymentRecord => {
    const decision = decide(record, fact, feeOf);
    if (decision.kind === 'nothing') throw new Error(decision.reason);
    return decision.next;
  };

  for (const [what, fact] of [
    [
      'a decline',
      answerWith({ outcome: 'failed', decline: '05', declineText: long, acsResponse: long, threeDsResult: 'N' }),
    ],
    ['a refusal', answerWith({ outcome: 'failed', nothingCharged: true, reason: long })],
    ['no answer', answerWith({ outcome: 'unknown', reason: long })],
    ['an event', paymentEvent('failed', { declineText: long, decline: '05' })],
    ['a status', paymentEvent('pending', { providerStatus: long, providerReference: 'p-9' })],
    ['an event that is refused', paymentEvent('succeeded', { providerStatus: long, currency: 'USD' })],
  ] as const) {
    it(`is shortened in ${what}`, () => {
      const next = changed(fact);
      expect(JSON.stringify(next).length).to.be.lessThan(10_000);
      expect(next.logs).to.have.length(1);
      expect(next.logs[0]!.at).to.be.greaterThan(at(-1));
    });
  }
});
