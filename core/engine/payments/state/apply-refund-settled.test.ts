import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  answerRefund,
  answerWith,
  at,
  continueWith,
  openAttempt,
  playHistory,
  refundEvent,
  requestRefund,
  succeeded,
  withReference,
  type History,
  type TestStep,
} from '../testing/steps.ts';
import { checkHistory } from '../testing/expectations.ts';
import { claimReport, isReportedPending } from '../refund/claim-report.ts';
import { leftToRefund } from './left-to-refund.ts';
import { refundEntries } from './refund-entries.ts';

const paid = [openAttempt(1), answerWith(withReference(succeeded))] as const;
const numbered = { subReference: 'R-1' };
const needing = { outcome: 'pending', needsMerchant: true, reason: 'card closed', providerReference: 'R-1' } as const;
const ours = [...paid, requestRefund(1, '4'), answerRefund(1, needing)] as const;
const theirs = [...paid, refundEvent('needs_merchant', '4', { ...numbered, declineText: 'card closed' })] as const;
const settle = (history: History, status: 'succeeded' | 'failed'): History => {
  const refund = refundEntries(history.record)[0]!.id;
  return continueWith(history, { type: 'refund_settled', refund, status, at: at(90) });
};
function shown({ record }: History) {
  const [entry] = refundEntries(record);
  return [entry!.status, record.refundedAmount, leftToRefund(record)];
}

for (const [what, steps] of [
  ['our refund', ours],
  ['a refund that was made at the provider', theirs],
] as const) {
  describe(`${what} that needs the merchant`, () => {
    it('reserves its amount, says why, and is announced once', () => {
      const history = playHistory(...steps, refundEvent('needs_merchant', '4', { ...numbered, dedupeKey: 'again' }));
      checkHistory(history);
      expect(shown(history)).to.deep.equal(['needs_merchant', '0', '6']);
      expect(refundEntries(history.record)[0]).to.include({ failureReason: 'card closed', doneAt: null });
      const about = history.notified.filter((type) => type === 'payment.refund_needs_merchant');
      expect(about).to.have.length(1);
    });

    it('ends with what the provider reports', () => {
      const given = playHistory(...steps, refundEvent('succeeded', '4', numbered));
      expect(shown(given)).to.deep.equal(['succeeded', '4', '6']);
      const failed = playHistory(...steps, refundEvent('failed', '4', numbered));
      expect(shown(failed)).to.deep.equal(['failed', '0', '10']);
      expect(failed.notified.at(-1)).to.equal('payment.refund_failed');
    });

    it('is ended by an operator, and not by a later report that it needs the merchant', () => {
      const given = settle(playHistory(...steps), 'succeeded');
      checkHistory(given);
      expect(shown(given)).to.deep.equal(['succeeded', '4', '6']);
      expect(given.notified.at(-1)).to.equal('payment.partially_refunded');
      expect(given.record.logs.at(-1)!.message).to.match(/ succeeded, recorded by an operator$/);
      const failed = settle(playHistory(...steps), 'failed');
      expect(shown(failed)).to.deep.equal(['failed', '0', '10']);
      for (const history of [given, failed]) {
        const late = refundEvent('needs_merchant', '4', { ...numbered, dedupeKey: 'late', orderHint: 9 });
        expect(shown(continueWith(history, late))).to.deep.equal(shown(history));
      }
    });

    it('counts once if the provider sends the money after the operator recorded a result', () => {
      for (const status of ['succeeded', 'failed'] as const) {
        const late = continueWith(settle(playHistory(...steps), status), refundEvent('succeeded', '4', numbered));
        checkHistory(late);
        expect(shown(late), status).to.deep.equal(['succeeded', '4', '6']);
      }
    });

    it('stays settled if the provider reports later that it sent nothing', () => {
      const late = continueWith(settle(playHistory(...steps), 'succeeded'), refundEvent('failed', '4', numbered));
      expect(shown(late)).to.deep.equal(['succeeded', '4', '6']);
      expect(late.record.attempts[0]).to.include({ fetchesRequested: 0 });
    });

    it('cannot be settled twice', () => {
      const given = settle(playHistory(...steps), 'succeeded');
      expect(settle(given, 'failed').record).to.equal(given.record);
    });
  });
}

describe('a refund that succeeded', () => {
  const given: TestStep[] = [...paid, refundEvent('succeeded', '4', { ...numbered, orderHint: 1 })];

  it('is reversed if the provider shows later that it needs the merchant', () => {
    const report = { ...numbered, orderHint: 2, declineText: 'card closed' };
    const later = playHistory(...given, refundEvent('needs_merchant', '4', report));
    expect(shown(later)).to.deep.equal(['reversed', '0', '10']);
    expect(later.notified.at(-1)).to.equal('payment.refund_reversed');
    const fetched = playHistory(...given, refundEvent('needs_merchant', '4', { ...numbered, fetched: true }));
    expect(shown(fetched)).to.deep.equal(['reversed', '0', '10']);
  });

  it('is not changed by a late report that it needs the merchant', () => {
    const late = playHistory(...given, refundEvent('needs_merchant', '4', { ...numbered, orderHint: 0 }));
    expect(shown(late)).to.deep.equal(['succeeded', '4', '6']);
  });
});

describe('the answer to a refund', () => {
  it('does not undo that the refund needs the merchant, whichever comes first', () => {
    const again = [
      answerRefund(1, { outcome: 'pending', providerReference: 'R-1' }),
      answerRefund(1, { outcome: 'unknown' }),
    ];
    for (const answer of again) expect(shown(playHistory(...ours, answer))[0]).to.equal('needs_merchant');
    const reported = refundEvent('needs_merchant', '4', numbered);
    const [requested, answered] = [requestRefund(1, '4'), again[0]!];
    expect(playHistory(...paid, requested, reported, answered).record.refunds[0]!.state).to.equal('needs_merchant');
  });
});

describe('a refund whose answer was lost', () => {
  const lost = [requestRefund(1, '4'), answerRefund(1, { outcome: 'unknown' })];
  const reported = playHistory(...paid, ...lost, refundEvent('needs_merchant', '4', numbered));

  it('counts once after an operator settled it, although its number came with a report alone', () => {
    expect(shown(reported)[0]).to.equal('needs_merchant');
    const late = continueWith(settle(reported, 'succeeded'), refundEvent('succeeded', '4', numbered));
    expect(shown(late)).to.deep.equal(['succeeded', '4', '6']);
  });

  it('is claimed as one that needs the merchant, if its provider cannot repeat it', () => {
    const claimed = claimReport(reported.record, 1);
    expect(claimed.refunds[0]).to.include({ state: 'needs_merchant', providerReference: 'R-1' });
    expect(isReportedPending(reported.record, 1)).to.equal(true);
  });
});
