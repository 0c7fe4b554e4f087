import type { Outcome } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Attempt, Capture } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { at, continueWith, newAttempt, newHistory, paymentEvent, paymentRecord, succeeded } from '../testing/steps.ts';
import { toCaptureRequest } from '../submit/capture-request.ts';
import { lacksItsMoney, type CollectionFact } from './apply-collection.ts';

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
const playFacts = (record: PaymentRecord, ...outcomes: CollectionFact[]) =>
  outcomes.reduce((history, fact) => continueWith(history, fact), newHistory(record));

describe('a captured payment', () => {
  const playCapture = (...outcomes: Outcome[]) =>
    playFacts(authorised({ capture }), ...outcomes.map((outcome) => answer('capture_outcome', outcome)));

  it('is paid with the captured amount, not the authorised amount', () => {
    const { record, notified } = playCapture(succeeded);
    expect(record).to.include({ statusId: 2, paidAmount: '6', paidCurrency: 'EUR' });
    expect(record.attempts[0]!.capture!.state).to.equal('succeeded');
    expect(notified).to.deep.equal(['payment.succeeded']);
  });

  it('stays authorised and can be captured again if the provider refuses the capture', () => {
    const { record, notified } = playCapture(refused);
    expect(record.statusId).to.equal(1);
    expect(record.attempts[0]).to.deep.include({ outcome: 'open', capture: null, authorisedAt: at(10) });
    expect(record.logs[0]!.message).to.equal('the capture was refused: too late');
    expect(notified).to.deep.equal([]);
  });

  it('logs an answer that never came once, and keeps the capture open', () => {
    const { record } = playCapture(unknown, unknown);
    expect(record.logs.map(({ code }) => code)).to.deep.equal(['OUTCOME_UNKNOWN']);
    expect(record.attempts[0]).to.deep.include({ outcome: 'open', capture: { ...capture, state: 'unknown' } });
  });

  it('ignores the answer to a capture once a callback has settled it', () => {
    const paid = continueWith(newHistory(authorised({ capture })), paymentEvent('succeeded', { amount: '6' }));
    expect(paid.record.paidAmount).to.equal('6');
    expect(continueWith(paid, answer('capture_outcome', refused)).record).to.equal(paid.record);
  });
});

describe('a success during a partial capture', () => {
  it('counts for the captured amount only; another amount is refused and fetched', () => {
    const whole = continueWith(newHistory(authorised({ capture })), paymentEvent('succeeded'));
    expect(whole.results[0]!.kind).to.equal('refused');
    const still = continueWith(newHistory(authorised({ capture })), paymentEvent('pending'));
    expect(still.results[0]!.kind).to.equal('nothing');
  });
});

describe('a capture that the provider accepts and later refuses', () => {
  const failedCapture = (status: 'authorised' | 'failed', amount: string, id = 'c') =>
    paymentEvent(status, { amount, failedRequest: 'capture', dedupeKey: `${id}:${status}` });
  const accepted = () => newHistory(authorised({ capture: { ...capture, state: 'pending' } }));

  it('leaves the payment authorised, notifies the merchant, and gives the next capture a new reference', () => {
    const { record, notified } = continueWith(accepted(), failedCapture('authorised', '6'));
    expect(record.statusId).to.equal(1);
    expect(record.attempts[0]).to.include({ outcome: 'open', capture: null, refusedRequests: 1 });
    expect(notified).to.deep.equal(['payment.capture_failed']);
    expect(toCaptureRequest(record.attempts[0]!, { amount: '6', currency: 'EUR' }).reference).to.match(/-C2$/);
  });

  it('notifies once for repeated reports, and not at all if the merchant waits for the answer', () => {
    const twice = continueWith(
      continueWith(accepted(), failedCapture('authorised', '6')),
      failedCapture('authorised', '6'),
    );
    expect(twice.notified).to.deep.equal(['payment.capture_failed']);
    const unanswered = authorised({ capture: { ...capture, state: 'unknown' } });
    const repeated = { ...answer('capture_outcome', refused), isRepetition: true } as const;
    expect(playFacts(unanswered, repeated).notified).to.deep.equal(['payment.capture_failed']);
    expect(playFacts(unanswered, answer('capture_outcome', refused)).notified).to.deep.equal([]);
  });

  it('keeps the reference if the request was never sent to the provider', () => {
    const { record } = playFacts(authorised({ capture }), answer('capture_outcome', { ...refused, notSent: true }));
    expect(record.attempts[0]).to.include({ capture: null, refusedRequests: 0 });
  });

  const paid = paymentEvent('succeeded', { amount: '6' });
  for (const [title, events] of [
    ['before the refusal', [paid, failedCapture('failed', '6')]],
    ['after the refusal', [failedCapture('failed', '6'), paid]],
  ] as const) {
    it(`leaves the payment paid and marks its money as missing if the success came ${title}`, () => {
      const { record, notified } = events.reduce((history, event) => continueWith(history, event), accepted());
      expect(record).to.include({ statusId: 2, paidAmount: '6' });
      expect(lacksItsMoney(record.attempts[0]!)).to.equal(true);
      expect(notified.filter((type) => type === 'payment.capture_failed')).to.have.length(1);
      const again = continueWith({ record, notified, results: [] }, failedCapture('failed', '6', 'again'));
      expect(again.notified).to.deep.equal(notified);
    });
  }
});

describe('a release that the provider accepts', () => {
  const accepted = () => newHistory(authorised({ voidRequestedAt: at(30) }));

  it('leaves the payment authorised and notifies the merchant if the provider later refuses it', () => {
    const failed = paymentEvent('authorised', { failedRequest: 'void', dedupeKey: 'v' });
    const { record, notified } = continueWith(accepted(), failed);
    expect(record.attempts[0]).to.include({ outcome: 'open', voidRequestedAt: null, refusedRequests: 1 });
    expect(notified).to.deep.equal(['payment.cancel_failed']);
  });

  it('cancels the payment for the merchant if the provider later reports it, and is no failed payment', () => {
    const { record, notified } = continueWith(accepted(), paymentEvent('cancelled'));
    expect(record.statusId).to.equal(5);
    expect(record.cancelledAt).to.be.instanceOf(Date);
    expect(notified).to.deep.equal(['payment.expired']);
  });
});

describe('the answer to a release', () => {
  const playRelease = (...outcomes: Outcome[]) =>
    playFacts(authorised({ voidRequestedAt: at(30) }), ...outcomes.map((outcome) => answer('void_outcome', outcome)));

  it('cancels the payment', () => {
    const { record, notified } = playRelease(succeeded);
    expect(record).to.deep.include({ statusId: 5, cancelledAt: at(40), paidAmount: null });
    expect(notified).to.deep.equal(['payment.expired']);
  });

  it('leaves the payment authorised if the provider refuses', () => {
    const { record } = playRelease(refused);
    expect(record.statusId).to.equal(1);
    expect(record.attempts[0]).to.include({ outcome: 'open', voidRequestedAt: null });
  });

  it('is logged once if it never came', () => {
    expect(playRelease(unknown, unknown).record.logs.map(({ code }) => code)).to.deep.equal(['OUTCOME_UNKNOWN']);
  });

  it('does not prevent a success that comes later', () => {
    const { record } = continueWith(playRelease(succeeded), paymentEvent('succeeded'));
    expect(record).to.include({ statusId: 2, paidAmount: '10' });
    expect(record.attempts[0]!.late).to.equal(true);
  });
});
