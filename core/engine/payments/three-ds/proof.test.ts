import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import {
  answerWith,
  at,
  feeOf,
  withReference,
  newAttempt,
  paymentEvent,
  paymentRecord,
  pending,
  succeeded,
  unknownOutcome,
} from '../testing/steps.ts';
import { decide } from '../state/decide.ts';
import type { Fact } from '../state/fact.ts';
import { attemptsLackingThreeDs } from './proof.ts';

const mark = /; 3D Secure was demanded and is not shown$/;
const step = { nonce: 'n-1', transactionId: 'tx', takenAt: null, doneAt: null, posted: null };

/** Applies the facts to a payment with one open attempt. Returns its record and how often it lacked 3D Secure. */
function applyAll(
  members: Partial<Attempt>,
  ...facts: readonly Fact[]
): { readonly found: number; readonly record: PaymentRecord } {
  let record = paymentRecord({ statusId: 1, attempts: [newAttempt(1, members)] });
  let found = 0;
  for (const fact of facts) {
    const decision = decide(record, fact, feeOf);
    if (decision.kind !== 'changed') continue;
    found += attemptsLackingThreeDs(decision.next, record).length;
    record = decision.next;
  }
  expect(record.logs.filter(({ message }) => mark.test(message))).to.have.length(found);
  return { found, record };
}

describe('a payment with demanded 3D Secure', () => {
  const enforced = { threeDsDemand: 'enforced' } as const;
  const otherwise = { threeDsDemand: 'by_other_means' } as const;
  const shows = (threeDs: 'authenticated' | 'attempted' | 'none') =>
    answerWith(withReference({ ...succeeded, threeDs }));

  it('is paid and marked if a way that enforces 3D Secure shows nothing', () => {
    const { found, record } = applyAll(enforced, answerWith(withReference(succeeded)));
    expect([found, record.statusId]).to.deep.equal([1, 2]);
  });

  it('is marked on every way if the provider reports that there was no 3D Secure', () => {
    expect(applyAll(enforced, shows('none')).found).to.equal(1);
    expect(applyAll(otherwise, shows('none')).found).to.equal(1);
    expect(applyAll(otherwise, answerWith(pending), paymentEvent('succeeded', { threeDs: 'none' })).found).to.equal(1);
  });

  it('is not marked if the provider shows 3D Secure, or verifies the payer by other means and shows nothing', () => {
    expect(applyAll(enforced, shows('authenticated')).found).to.equal(0);
    expect(applyAll(enforced, shows('attempted')).found).to.equal(0);
    expect(applyAll(otherwise, answerWith(withReference(succeeded))).found).to.equal(0);
  });

  it('is not marked if the payer took a step of a way that enforces 3D Secure, unless the provider reports none', () => {
    const sent = answerWith(withReference(pending), { action: Buffer.from('an action'), step });
    expect(applyAll(enforced, sent, paymentEvent('succeeded')).found).to.equal(0);
    expect(applyAll(enforced, sent, paymentEvent('succeeded', { threeDs: 'none' })).found).to.equal(1);
  });

  it('is checked once its submission has ended, because the answer may show what a quicker callback does not', () => {
    expect(applyAll(enforced, paymentEvent('succeeded')).found).to.equal(0);
    expect(applyAll(enforced, paymentEvent('succeeded'), shows('authenticated')).found).to.equal(0);
    expect(applyAll(enforced, paymentEvent('succeeded'), answerWith(withReference(succeeded))).found).to.equal(1);
    expect(applyAll(enforced, paymentEvent('succeeded'), answerWith(unknownOutcome)).found).to.equal(1);
  });

  it('is marked once for repeated reports', () => {
    const again = paymentEvent('succeeded', { threeDs: 'none', dedupeKey: 'again' });
    expect(applyAll(enforced, answerWith(withReference(succeeded)), again, paymentEvent('succeeded')).found).to.equal(
      1,
    );
  });

  it('is not marked without a demand or without a success', () => {
    expect(applyAll({}, shows('none')).found).to.equal(0);
    expect(applyAll(enforced, paymentEvent('failed', { decline: '51', at: at(2) } as object)).found).to.equal(0);
  });
});
