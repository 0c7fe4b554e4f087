import type { Outcome } from '@gateway/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Attempt, Capture } from '../../documents/attempt.ts';
import type { PaymentRecord } from '../../documents/payment-request.ts';
import { at, continueWith, newAttempt, newHistory, paymentEvent, paymentRecord, succeeded } from '../testing/steps.ts';
import type { CollectionFact } from './apply-collection.ts';

const capture: Capture = { reference: 'GW-10042-1-C', amount: '6', state: 'requested', requestedAt: at(30) };
const unknown: Outcome = { outcome: 'unknown' };
const refused: Outcome = { outcome: 'failed', nothingCharged: true, reason: 'too late' };

/** An authorised payment of 10 EUR. */
function authorised(members: Partial<Attempt>): PaymentRecord {
  const attempt = newAttempt(1, { endedAt: at(10), authorisedAt: at(10), providerReference: 'P-1', ...members });
  return paymentRecord({ statusId: 1, attempts: [attempt] });
}

const answer = (type: CollectionFact['type'], outcome: Outcome): CollectionFact => {
  return { type, attempt: 1, outcome, at: at(40) };
};
const play = (record: PaymentRecord, ...outcomes: CollectionFact[]) =>
  outcomes.reduce((history, fact) => continueWith(history, fact), newHistory(record));

describe('the answer to a capture', () => {
  const captured = (...outcomes: Outcome[]) =>
    play(authorised({ capture }), ...outcomes.map((outcome) => answer('capture_outcome', outcome)));

  it('pays what was collected, not what was reserved', () => {
    const { record, notified } = captured(succeeded);
    expect(record).to.include({ statusId: 2, paidAmount: '6', paidCurrency: 'EUR' });
    expect(record.attempts[0]!.capture!.state).to.equal('succeeded');
    expect(notified).to.deep.equal(['payment.succeeded']);
  });

  it('leaves the payment authorised where the provider refuses, and free for another try', () => {
    const { record, notified } = captured(refused);
    expect(record.statusId).to.equal(1);
    expect(record.attempts[0]).to.deep.include({ outcome: 'open', capture: null, authorisedAt: at(10) });
    expect(record.logs[0]!.message).to.equal('the capture was refused: too late');
    expect(notified).to.deep.equal([]);
  });

  it('that never came is logged once, and keeps the capture under way', () => {
    const { record } = captured(unknown, unknown);
    expect(record.logs.map(({ code }) => code)).to.deep.equal(['OUTCOME_UNKNOWN']);
    expect(record.attempts[0]).to.deep.include({ outcome: 'open', capture: { ...capture, state: 'unknown' } });
  });

  it('changes nothing once a callback has settled it', () => {
    const paid = continueWith(newHistory(authorised({ capture })), paymentEvent('succeeded', { amount: '6' }));
    expect(paid.record.paidAmount).to.equal('6');
    expect(continueWith(paid, answer('capture_outcome', refused)).record).to.equal(paid.record);
  });
});

describe('a success that a provider reports while a part is captured', () => {
  it('is of that part; another amount is refused and fetched', () => {
    const whole = continueWith(newHistory(authorised({ capture })), paymentEvent('succeeded'));
    expect(whole.results[0]!.kind).to.equal('refused');
    const still = continueWith(newHistory(authorised({ capture })), paymentEvent('pending'));
    expect(still.results[0]!.kind).to.equal('nothing');
  });
});

describe('the answer to a release', () => {
  const released = (...outcomes: Outcome[]) =>
    play(authorised({ voidRequestedAt: at(30) }), ...outcomes.map((outcome) => answer('void_outcome', outcome)));

  it('cancels the payment', () => {
    const { record, notified } = released(succeeded);
    expect(record).to.deep.include({ statusId: 5, cancelledAt: at(40), paidAmount: null });
    expect(notified).to.deep.equal(['payment.expired']);
  });

  it('leaves the payment authorised where the provider refuses', () => {
    const { record } = released(refused);
    expect(record.statusId).to.equal(1);
    expect(record.attempts[0]).to.include({ outcome: 'open', voidRequestedAt: null });
  });

  it('that never came is logged once', () => {
    expect(released(unknown, unknown).record.logs.map(({ code }) => code)).to.deep.equal(['OUTCOME_UNKNOWN']);
  });

  it('does not keep money that came all the same from being paid', () => {
    const { record } = continueWith(released(succeeded), paymentEvent('succeeded'));
    expect(record).to.include({ statusId: 2, paidAmount: '10' });
    expect(record.attempts[0]!.late).to.equal(true);
  });
});
