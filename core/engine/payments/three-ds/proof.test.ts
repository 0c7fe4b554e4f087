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

/** What a payment with one open attempt comes to: how often it was found to lack 3D Secure, and its last record. */
function play(
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

describe('a payment that demanded 3D Secure', () => {
  const enforced = { threeDsDemand: 'enforced' } as const;
  const otherwise = { threeDsDemand: 'by_other_means' } as const;
  const shows = (threeDs: 'authenticated' | 'attempted' | 'none') =>
    answerWith(withReference({ ...succeeded, threeDs }));

  it('is paid, and marked, where an enforcing way shows nothing', () => {
    const { found, record } = play(enforced, answerWith(withReference(succeeded)));
    expect([found, record.statusId]).to.deep.equal([1, 2]);
  });

  it('is marked where the provider shows none, whatever the way', () => {
    expect(play(enforced, shows('none')).found).to.equal(1);
    expect(play(otherwise, shows('none')).found).to.equal(1);
    expect(play(otherwise, answerWith(pending), paymentEvent('succeeded', { threeDs: 'none' })).found).to.equal(1);
  });

  it('is as it should be where the provider shows it, or proves the payer by other means and shows nothing', () => {
    expect(play(enforced, shows('authenticated')).found).to.equal(0);
    expect(play(enforced, shows('attempted')).found).to.equal(0);
    expect(play(otherwise, answerWith(withReference(succeeded))).found).to.equal(0);
  });

  it('is as it should be where the payer was sent through a step of an enforcing way, unless that came to none', () => {
    const sent = answerWith(withReference(pending), { action: Buffer.from('an action'), step });
    expect(play(enforced, sent, paymentEvent('succeeded')).found).to.equal(0);
    expect(play(enforced, sent, paymentEvent('succeeded', { threeDs: 'none' })).found).to.equal(1);
  });

  it('is judged once its submission has ended: the answer may show what a quicker callback does not', () => {
    expect(play(enforced, paymentEvent('succeeded')).found).to.equal(0);
    expect(play(enforced, paymentEvent('succeeded'), shows('authenticated')).found).to.equal(0);
    expect(play(enforced, paymentEvent('succeeded'), answerWith(withReference(succeeded))).found).to.equal(1);
    expect(play(enforced, paymentEvent('succeeded'), answerWith(unknownOutcome)).found).to.equal(1);
  });

  it('is marked once, however often it is reported', () => {
    const again = paymentEvent('succeeded', { threeDs: 'none', dedupeKey: 'again' });
    expect(play(enforced, answerWith(withReference(succeeded)), again, paymentEvent('succeeded')).found).to.equal(1);
  });

  it('is nothing to mark where nobody demanded it, or nothing came in', () => {
    expect(play({}, shows('none')).found).to.equal(0);
    expect(play(enforced, paymentEvent('failed', { decline: '51', at: at(2) } as object)).found).to.equal(0);
  });
});
