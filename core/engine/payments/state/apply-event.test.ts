import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { EventKind } from '@paywright/contract';
import { decide } from './decide.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { checkHistory } from '../testing/expectations.ts';
import {
  answerWith,
  requestRefund,
  declined,
  feeOf,
  continueWith,
  withReference,
  openAttempt,
  pending,
  answerRefund,
  succeeded,
  playHistory,
  chargebackEvent,
  paymentEvent,
  refundEvent,
  unknownOutcome,
  type TestStep,
} from '../testing/steps.ts';

const toOpen = [openAttempt(1), answerWith(withReference(pending))] as const;
const toPaid = [openAttempt(1), answerWith(withReference(succeeded))] as const;
const statesOf = ({ refunds }: PaymentRecord): string[] => refunds.map(({ state }) => state);

describe('an event', () => {
  describe('about a payment', () => {
    const statuses: [Parameters<typeof paymentEvent>[0], string, number][] = [
      ['authorised', 'open', 1],
      ['pending', 'open', 1],
      ['underpaid', 'open', 1],
      ['unknown', 'open', 1],
      ['succeeded', 'succeeded', 2],
      ['overpaid', 'succeeded', 2],
      ['late', 'succeeded', 2],
      ['failed', 'failed', 3],
      ['cancelled', 'failed', 3],
      ['expired', 'expired', 5],
    ];
    for (const [status, outcome, statusId] of statuses) {
      it(`sets the attempt to ${outcome}: ${status}`, () => {
        const { record } = playHistory(...toOpen, paymentEvent(status));
        expect(record.attempts[0]!.outcome).to.equal(outcome);
        expect(record.statusId).to.equal(statusId);
      });
    }

    it('refunds a paid payment in full if the money was given back, captured or not', () => {
      const { record, notified } = playHistory(...toPaid, paymentEvent('cancelled', { orRefunded: true }));
      expect(record).to.include({ statusId: 4, refundedAmount: '10' });
      expect(record.attempts[0]).to.include({ outcome: 'succeeded', cancelled: false });
      expect(notified.at(-1)).to.equal('payment.refunded');
      expect(record.logs.at(-1)).to.include({ message: 'refund succeeded (cancelled)', refused: false });
    });

    it('cancels a payment that was only reserved if the money was given back', () => {
      const given = paymentEvent('cancelled', { orRefunded: true });
      const { record, notified } = playHistory(...toOpen, paymentEvent('authorised'), given);
      expect(record).to.include({ statusId: 3, refundedAmount: '0' });
      expect(record.attempts[0]).to.include({ outcome: 'failed', cancelled: true });
      expect(notified.at(-1)).to.equal('payment.failed');
    });

    it('logs an overpayment', () => {
      expect(playHistory(...toOpen, paymentEvent('overpaid')).record.logs.at(-1)!.message).to.equal(
        'payment overpaid (overpaid)',
      );
    });

    it('declines with 05 without a verified decline, until a fetch reports the decline', () => {
      const failed = playHistory(...toOpen, paymentEvent('failed'));
      expect(failed.record.attempts[0]!.decline).to.equal('05');
      expect(failed.record.logs.at(-1)!.code).to.equal('05');
      const reported = { decline: '61', declineText: 'over the limit', dedupeKey: 'fetched' } as const;
      expect(continueWith(failed, paymentEvent('failed', reported)).record).to.equal(failed.record);
      const fetched = continueWith(failed, paymentEvent('failed', { ...reported, fetched: true }));
      expect(fetched.record.attempts[0]).to.include({
        decline: '61',
        declineText: 'over the limit',
        outcome: 'failed',
      });
      expect(fetched.notified.slice(failed.notified.length)).to.deep.equal([]);
    });

    it('uses the fetched decline even if the fetch has the identity of the callback', () => {
      const named = { dedupeKey: 'T-1:AUTH:false' } as const;
      const failed = playHistory(openAttempt(1), paymentEvent('failed', named));
      const fetched = continueWith(failed, paymentEvent('failed', { ...named, decline: '51', fetched: true }));
      expect(fetched.record.attempts[0]).to.include({ decline: '51' });
      const again = continueWith(fetched, paymentEvent('failed', { ...named, decline: '51', fetched: true }));
      expect(again.record).to.equal(fetched.record);
    });

    it('keeps the decline of the answer', () => {
      const { record } = playHistory(
        openAttempt(1),
        answerWith(declined),
        paymentEvent('failed'),
        paymentEvent('cancelled'),
      );
      expect(record.attempts[0]).to.include({ decline: '51', cancelled: false });
    });

    it('sets no decline if the payer cancelled', () => {
      const { record } = playHistory(...toOpen, paymentEvent('cancelled'));
      expect(record.attempts[0]).to.include({ decline: null, cancelled: true });
      expect(record.logs.at(-1)!.code).to.equal('');
    });
  });

  describe('that is not credible', () => {
    const unbelievable: [string, Parameters<typeof paymentEvent>[1]][] = [
      ['another amount', { amount: '10.01' }],
      ['a smaller amount', { amount: '1.00' }],
      ['an amount that is not a valid number', { amount: 'ten' }],
      ['another currency', { currency: 'USD' }],
      ['another provider reference', { providerReference: 'X-9' }],
      ['another provider reference, fetched', { providerReference: 'X-9', fetched: true }],
      ['no amount', { amount: null }],
      ['no currency', { currency: null }],
    ];
    for (const [name, members] of unbelievable) {
      it(`never pays with ${name}`, () => {
        for (const status of ['succeeded', 'overpaid', 'late'] as const) {
          for (const before of [toOpen, [...toOpen, paymentEvent('failed')], [...toOpen, paymentEvent('expired')]]) {
            const known = playHistory(...before).record;
            const decision = decide(known, paymentEvent(status, members), feeOf);
            expect(decision).to.include({ kind: 'refused', fetch: true });
            if (decision.kind === 'nothing') continue;
            expect(decision.next).to.deep.equal({ ...known, logs: decision.next.logs });
            expect(decision.next.logs.at(-1)).to.include({ refused: true });
          }
        }
      });
    }

    it('changes nothing in the other mode or with an unknown status', () => {
      for (const event of [paymentEvent('succeeded', { mode: 'live' }), paymentEvent('unknown')]) {
        expect(decide(playHistory(...toOpen).record, event, feeOf).kind).to.equal('nothing');
      }
    });

    it('pays with another spelling of the amount', () => {
      for (const amount of ['10', '10.0', '10.000', '010']) {
        expect(playHistory(...toOpen, paymentEvent('succeeded', { amount })).record.statusId, amount).to.equal(2);
      }
    });

    it('refuses a refund of more than the paid amount, without an amount, or without an identity', () => {
      for (const event of [
        refundEvent('succeeded', '10.01'),
        refundEvent('succeeded', '4', { amount: null }),
        refundEvent('succeeded', '4', { currency: null }),
        refundEvent('succeeded', '4', { dedupeKey: null }),
        refundEvent('succeeded', '4', { providerReference: 'X-9' }),
        refundEvent('failed', '4', { cumulative: true }),
      ]) {
        const { record, results } = playHistory(...toPaid, event);
        expect(results.at(-1)!.kind).to.equal('refused');
        expect(record).to.include({ refundedAmount: '0', statusId: 2 });
      }
    });

    it('counts a chargeback of more than the paid amount, or of another currency', () => {
      for (const event of [chargebackEvent('opened', { amount: '11' }), chargebackEvent('lost', { currency: 'USD' })]) {
        expect(playHistory(...toPaid, event).record.chargedBack).to.equal(true);
      }
    });

    it('refuses a chargeback of another provider reference', () => {
      const { record, results } = playHistory(...toPaid, chargebackEvent('opened', { providerReference: 'X-9' }));
      expect(results.at(-1)!.kind).to.equal('refused');
      expect(record.chargedBack).to.equal(false);
    });

    it('marks the log entry with the kind of an event that does not fit', () => {
      const misfits: [TestStep, EventKind | undefined][] = [
        [paymentEvent('succeeded', { amount: '9.99' }), 'payment'],
        [paymentEvent('pending', { providerReference: 'X-9' }), 'payment'],
        [refundEvent('succeeded', '10.01'), 'refund'],
        [refundEvent('succeeded', '4', { currency: 'USD' }), 'refund'],
        [chargebackEvent('opened', { providerReference: 'X-9' }), 'chargeback'],
        // Nothing of these contradicts the payment: one comes late, the other is fetched.
        [paymentEvent('failed'), undefined],
        [refundEvent('succeeded', '4', { amount: null }), undefined],
      ];
      for (const [event, misfit] of misfits) {
        const entry = playHistory(...toPaid, event).record.logs.at(-1)!;
        expect([entry.refused, entry.misfit], entry.message).to.deep.equal([true, misfit]);
      }
    });

    it('logs the first event of a kind that does not fit, however many others were refused', () => {
      const wrong = Array.from({ length: 60 }, (_, n) => paymentEvent('succeeded', { amount: String(n + 20) }));
      const { record } = playHistory(...toPaid, ...wrong, refundEvent('succeeded', '11'));
      expect(record.logs.filter(({ misfit }) => misfit === 'payment')).to.have.length(50);
      expect(record.logs.at(-1)!.misfit).to.equal('refund');
    });
  });

  describe('with the provider’s reference', () => {
    it('sets the reference if none is known', () => {
      const { record } = playHistory(openAttempt(1), answerWith(unknownOutcome), paymentEvent('pending'));
      expect(record.attempts[0]).to.include({ providerReference: 'P-1', referenceVerified: false });
    });

    it('sets the reference even after the outcome is known', () => {
      const { record } = playHistory(openAttempt(1), answerWith(succeeded), paymentEvent('succeeded'));
      expect(record.attempts[0]).to.include({ providerReference: 'P-1', outcome: 'succeeded' });
    });

    it('does not replace the reference of another callback, but a fetch does', () => {
      const withOtherReference = playHistory(openAttempt(1), paymentEvent('pending', { providerReference: 'X-9' }));
      const refused = continueWith(withOtherReference, paymentEvent('succeeded'));
      expect(refused.results.at(-1)!.kind).to.equal('refused');
      const fetched = continueWith(refused, paymentEvent('succeeded', { fetched: true }));
      expect(fetched.record).to.include({ statusId: 2 });
      expect(fetched.record.attempts[0]).to.include({ providerReference: 'P-1', referenceVerified: true });
    });

    it('is replaced by the reference in the answer to the submission', () => {
      const { record } = playHistory(
        openAttempt(1),
        paymentEvent('pending', { providerReference: 'X-9' }),
        answerWith(withReference(pending)),
      );
      expect(record.attempts[0]).to.include({ providerReference: 'P-1', referenceVerified: true });
    });
  });

  describe('with an identity', () => {
    it('counts once', () => {
      const event = refundEvent('succeeded', '4');
      const { record, notified } = playHistory(...toPaid, event, event, event);
      expect(record.refundedAmount).to.equal('4');
      expect(notified).to.deep.equal(['payment.succeeded', 'payment.partially_refunded']);
    });

    it('is different from the same identity of another attempt', () => {
      const steps = [openAttempt(1), paymentEvent('failed'), openAttempt(2)];
      const same = { dedupeKey: 'the same' };
      const { record } = playHistory(
        ...steps,
        paymentEvent('succeeded', same),
        paymentEvent('succeeded', { ...same, attempt: 2 }),
      );
      expect(record.paidAmount).to.equal('20');
    });

    it('is not stored while the event is refused', () => {
      const wrong = paymentEvent('succeeded', { amount: '1', dedupeKey: 'one' });
      expect(playHistory(...toOpen, wrong, paymentEvent('succeeded', { dedupeKey: 'one' })).record.statusId).to.equal(
        2,
      );
    });
  });

  it('changes nothing if it is not about a payment', () => {
    for (const kind of ['3ds', 'token', 'ping'] satisfies EventKind[]) {
      const event = paymentEvent('pending', { kind, amount: null, currency: null, providerReference: null });
      expect(decide(playHistory(...toOpen).record, event, feeOf).kind).to.equal('nothing');
    }
  });

  describe('about a chargeback', () => {
    const sets: [string, TestStep[], boolean][] = [
      ['opened', [chargebackEvent('opened')], true],
      ['lost', [chargebackEvent('lost')], true],
      ['won', [chargebackEvent('opened'), chargebackEvent('won')], false],
      ['reversed', [chargebackEvent('lost'), chargebackEvent('reversed')], false],
      ['opened after it was won', [chargebackEvent('won'), chargebackEvent('opened')], false],
      ['won and lost without a hint: won', [chargebackEvent('lost'), chargebackEvent('won')], false],
      [
        'won, later lost, by the hint',
        [chargebackEvent('lost', { orderHint: 2 }), chargebackEvent('won', { orderHint: 1 })],
        true,
      ],
      [
        'reversed, later lost, by the time',
        [
          chargebackEvent('reversed', { occurredAt: new Date(1000) }),
          chargebackEvent('lost', { occurredAt: new Date(2000) }),
        ],
        true,
      ],
      [
        'opened again with a later hint',
        [chargebackEvent('won', { orderHint: 1 }), chargebackEvent('opened', { orderHint: 2 })],
        false,
      ],
      [
        'one case open, another won',
        [chargebackEvent('opened', { subReference: 'C-1' }), chargebackEvent('won', { subReference: 'C-2' })],
        true,
      ],
      [
        'opened without a number, and a case won',
        [chargebackEvent('opened'), chargebackEvent('won', { subReference: 'C-1' })],
        false,
      ],
      [
        'won without a number, and a case opened',
        [chargebackEvent('won'), chargebackEvent('opened', { subReference: 'C-1' })],
        true,
      ],
    ];
    for (const [name, steps, chargedBack] of sets) {
      it(`${chargedBack ? 'sets' : 'clears'} the chargeback flag and keeps the status: ${name}`, () => {
        for (const order of [steps, steps.toReversed()]) {
          const history = playHistory(...toPaid, ...order);
          expect(history.record).to.include({ chargedBack, statusId: 2 });
          checkHistory(history);
        }
      });
    }

    it('has no effect until the success', () => {
      const waiting = playHistory(...toOpen, chargebackEvent('opened'));
      expect(waiting.record.chargedBack).to.equal(false);
      expect(continueWith(waiting, paymentEvent('succeeded')).record.chargedBack).to.equal(true);
    });

    it('notifies only of a change of the flag', () => {
      const cases = [
        chargebackEvent('opened', { subReference: 'C-1' }),
        chargebackEvent('opened', { subReference: 'C-2' }),
      ];
      const ends = [chargebackEvent('won', { subReference: 'C-1' }), chargebackEvent('won', { subReference: 'C-2' })];
      expect(playHistory(...toPaid, ...cases, ...ends).notified.slice(1)).to.deep.equal([
        'payment.charged_back',
        'payment.chargeback_reversed',
      ]);
    });
  });

  describe('about a refund', () => {
    const requested = [requestRefund(1, '4'), requestRefund(2, '3'), requestRefund(3, '4')] as const;

    it('settles our oldest open refund of the amount if it has no number', () => {
      const first = playHistory(...toPaid, ...requested, refundEvent('succeeded', '4.00', { dedupeKey: 'a' }));
      expect(statesOf(first.record)).to.deep.equal(['succeeded', 'requested', 'requested']);
      const next = continueWith(first, refundEvent('failed', '4', { dedupeKey: 'b' }));
      expect(statesOf(next.record)).to.deep.equal(['succeeded', 'requested', 'failed']);
      expect(continueWith(next, refundEvent('pending', '3')).record.refunds[1]!.state).to.equal('requested');
    });

    it('settles our refund of its number', () => {
      const numbers = [1, 3].map((n) => answerRefund(n, { outcome: 'pending', providerReference: `R-${n}` }));
      const reported = playHistory(
        ...toPaid,
        ...requested,
        ...numbers,
        refundEvent('succeeded', '4', { subReference: 'R-3' }),
      );
      expect(statesOf(reported.record)).to.deep.equal(['pending', 'requested', 'succeeded']);
    });

    it('settles the refund that explains the increase of a running total', () => {
      const total = (amount: string): TestStep =>
        refundEvent('succeeded', amount, { cumulative: true, dedupeKey: amount });
      // 2 was refunded in the provider's console, before our refunds.
      const history = playHistory(...toPaid, total('2'), ...requested);
      expect(statesOf(history.record)).to.deep.equal(['requested', 'requested', 'requested']);
      // Another 2 in the console: with the first 2 enough for one of our refunds, but the total grew by less than that.
      const other = continueWith(history, total('4'));
      expect(statesOf(other.record)).to.deep.equal(['requested', 'requested', 'requested']);
      const one = continueWith(other, total('8'));
      expect(statesOf(one.record)).to.deep.equal(['succeeded', 'requested', 'requested']);
      expect(one.record.refundedAmount).to.equal('8');
    });

    it('settles several refunds with one running total', () => {
      const total = refundEvent('succeeded', '7', { cumulative: true });
      expect(statesOf(playHistory(...toPaid, ...requested, total).record)).to.deep.equal([
        'succeeded',
        'succeeded',
        'requested',
      ]);
    });

    it('settles no open refund that a running total does not include', () => {
      const number = answerRefund(1, { outcome: 'succeeded', providerReference: 'R-1' });
      const total = refundEvent('succeeded', '4', { cumulative: true });
      expect(statesOf(playHistory(...toPaid, ...requested, number, total).record)).to.deep.equal([
        'succeeded',
        'requested',
        'requested',
      ]);
    });
  });
});
