import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Outcome } from '@paywright/contract';
import { decide, transactionStatus } from './decide.ts';
import type { Fact } from './fact.ts';
import type { NotificationType, PaymentRecord } from '../../../database/collections/payment-request.ts';
import { checkHistory } from '../testing/expectations.ts';
import {
  answerWith,
  requestRefund,
  at,
  cancelPayment,
  declined,
  feeOf,
  continueWith,
  expirePayment,
  withReference,
  newAttempt,
  nothingWasCharged,
  openAttempt,
  paymentRecord,
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

const second = { attempt: 2 } as const;
const encrypted = Buffer.from('an action, encrypted');
const fallback = newAttempt(2, { isFallback: true });
const failedTwice: TestStep[] = [
  openAttempt(1),
  paymentEvent('failed'),
  openAttempt(2),
  paymentEvent('failed', second),
];

/** The statuses that the payment went through. */
function pathOf({ transitions }: PaymentRecord): string {
  return [0, ...transitions.map(({ to }) => to)].join(' ');
}

function lastLogOf({ logs }: PaymentRecord): PaymentRecord['logs'][number] {
  return logs.findLast(({ refused }) => !refused)!;
}

const paths: [string, TestStep[], string, NotificationType[]][] = [
  ['no payment in time', [expirePayment], '0 5', ['payment.expired']],
  ['a cancel by the merchant', [cancelPayment], '0 5', ['payment.expired']],
  ['an answer that says paid', [openAttempt(1), answerWith(succeeded)], '0 1 2', ['payment.succeeded']],
  ['an answer that declines', [openAttempt(1), answerWith(declined)], '0 1 3', ['payment.failed']],
  ['a callback that says expired', [openAttempt(1), paymentEvent('expired')], '0 1 5', ['payment.expired']],
  [
    'a new attempt after a failure',
    [openAttempt(1), answerWith(declined), openAttempt(2), answerWith(succeeded, second)],
    '0 1 3 1 2',
    ['payment.failed', 'payment.succeeded'],
  ],
  [
    'a late success after a failure',
    [openAttempt(1), paymentEvent('failed'), paymentEvent('succeeded')],
    '0 1 3 2',
    ['payment.failed', 'payment.succeeded'],
  ],
  [
    'a late success while a second attempt is open',
    [openAttempt(1), paymentEvent('failed'), openAttempt(2), paymentEvent('succeeded')],
    '0 1 3 1 2',
    ['payment.failed', 'payment.succeeded'],
  ],
  [
    'a success after expiry',
    [openAttempt(1), paymentEvent('expired'), paymentEvent('succeeded')],
    '0 1 5 2',
    ['payment.expired', 'payment.succeeded'],
  ],
  [
    'a genuine failure after expiry',
    [openAttempt(1), paymentEvent('expired'), paymentEvent('failed')],
    '0 1 5 3',
    ['payment.expired', 'payment.failed'],
  ],
  [
    'an expiry after a failure',
    [openAttempt(1), paymentEvent('failed'), paymentEvent('expired')],
    '0 1 3',
    ['payment.failed'],
  ],
  [
    'a second attempt that expires after one that failed',
    [openAttempt(1), paymentEvent('failed'), openAttempt(2), paymentEvent('expired', second)],
    '0 1 3 1 3',
    ['payment.failed', 'payment.failed'],
  ],
  [
    'a cancel by the merchant after a failure',
    [openAttempt(1), answerWith(declined), cancelPayment, paymentEvent('failed'), paymentEvent('expired')],
    '0 1 3 5',
    ['payment.failed', 'payment.expired'],
  ],
  [
    'a success after the merchant cancelled',
    [openAttempt(1), answerWith(declined), cancelPayment, paymentEvent('succeeded')],
    '0 1 3 5 2',
    ['payment.failed', 'payment.expired', 'payment.succeeded'],
  ],
  [
    'any other report after a success',
    [
      openAttempt(1),
      answerWith(succeeded),
      paymentEvent('failed'),
      paymentEvent('cancelled'),
      paymentEvent('expired'),
      answerWith(declined),
      answerWith(unknownOutcome),
      answerWith(nothingWasCharged),
      answerWith(pending),
    ],
    '0 1 2',
    ['payment.succeeded'],
  ],
  [
    'a partial refund, the refund of the rest, and a reversal',
    [
      openAttempt(1),
      answerWith(succeeded),
      refundEvent('succeeded', '4', { subReference: 'R-1' }),
      refundEvent('succeeded', '6', { subReference: 'R-2' }),
      refundEvent('reversed', '4', { subReference: 'R-1' }),
    ],
    '0 1 2 4 2',
    ['payment.succeeded', 'payment.partially_refunded', 'payment.refunded', 'payment.refund_reversed'],
  ],
  [
    'a partial refund that is reversed',
    [
      openAttempt(1),
      answerWith(succeeded),
      refundEvent('succeeded', '4', { subReference: 'R-1' }),
      refundEvent('reversed', '4', { subReference: 'R-1' }),
    ],
    '0 1 2',
    ['payment.succeeded', 'payment.partially_refunded', 'payment.refund_reversed'],
  ],
  [
    'a full refund and a chargeback that were known before the success',
    [openAttempt(1), refundEvent('succeeded', '10'), chargebackEvent('opened'), answerWith(succeeded)],
    '0 1 2 4',
    ['payment.succeeded', 'payment.refunded', 'payment.charged_back'],
  ],
  [
    'a partial refund that was known while the attempt had failed',
    [openAttempt(1), paymentEvent('failed'), refundEvent('succeeded', '4'), paymentEvent('succeeded')],
    '0 1 3 2',
    ['payment.failed', 'payment.succeeded', 'payment.partially_refunded'],
  ],
  [
    'a full refund that was known after expiry',
    [openAttempt(1), paymentEvent('expired'), refundEvent('succeeded', '10'), paymentEvent('late')],
    '0 1 5 2 4',
    ['payment.expired', 'payment.succeeded', 'payment.refunded'],
  ],
  [
    'a success of another attempt after a full refund of the first',
    [...failedTwice, paymentEvent('succeeded'), refundEvent('succeeded', '10'), paymentEvent('succeeded', second)],
    '0 1 3 1 3 2 4 2',
    ['payment.failed', 'payment.failed', 'payment.succeeded', 'payment.refunded', 'payment.succeeded'],
  ],
  [
    'a chargeback that is opened, won, and lost later',
    [
      openAttempt(1),
      answerWith(succeeded),
      chargebackEvent('opened', { subReference: 'C-1', orderHint: 1 }),
      chargebackEvent('won', { subReference: 'C-1', orderHint: 2 }),
      chargebackEvent('lost', { subReference: 'C-1', orderHint: 3 }),
    ],
    '0 1 2',
    ['payment.succeeded', 'payment.charged_back', 'payment.chargeback_reversed', 'payment.charged_back'],
  ],
];

describe('decide', () => {
  describe('transitions and notifications', () => {
    for (const [name, steps, path, notified] of paths) {
      it(`follows ${path} for ${name}`, () => {
        const history = playHistory(...steps);
        expect(pathOf(history.record)).to.equal(path);
        expect(history.notified).to.deep.equal(notified);
        checkHistory(history);
      });
    }
  });

  describe('payment.pending', () => {
    const ends: [string, Outcome, Parameters<typeof answerWith>[1]][] = [
      ['pending', pending, {}],
      ['without a readable answer', unknownOutcome, {}],
      ['with a page that the payer has to visit', pending, { action: encrypted }],
    ];
    for (const [name, outcome, members] of ends) {
      it(`is notified when a submission ends ${name}`, () => {
        expect(playHistory(openAttempt(1), answerWith(outcome, members)).notified).to.deep.equal(['payment.pending']);
      });
    }

    it('is not notified when an attempt is opened, nor for an event', () => {
      expect(playHistory(openAttempt(1), paymentEvent('pending'), paymentEvent('underpaid')).notified).to.deep.equal(
        [],
      );
    });

    it('is not notified again for the continuation of a submission', () => {
      const history = playHistory(
        openAttempt(1),
        answerWith(pending, { action: encrypted }),
        answerWith(pending),
        answerWith(unknownOutcome),
      );
      expect(history.notified).to.deep.equal(['payment.pending']);
    });

    it('is not notified before a fallback, but when the fallback ends pending', () => {
      const fallen = continueWith(playHistory(openAttempt(1)), answerWith(nothingWasCharged, { fallback }));
      expect(fallen.notified).to.deep.equal([]);
      expect(continueWith(fallen, answerWith(unknownOutcome, second)).notified).to.deep.equal(['payment.pending']);
    });

    it('is not notified if a callback was quicker', () => {
      expect(playHistory(openAttempt(1), paymentEvent('succeeded'), answerWith(pending)).notified).to.deep.equal([
        'payment.succeeded',
      ]);
      expect(playHistory(openAttempt(1), paymentEvent('failed'), answerWith(pending)).notified).to.deep.equal([
        'payment.failed',
      ]);
    });

    it('is not notified for a late answer to an earlier attempt', () => {
      const history = playHistory(openAttempt(1), paymentEvent('failed'), openAttempt(2), answerWith(pending));
      expect(history.notified).to.deep.equal(['payment.failed']);
    });
  });

  describe('payment.authorised', () => {
    const authorised: Outcome = { outcome: 'pending', authorised: true };

    it('is notified once, by the answer, a callback or a fetch', () => {
      const both = ['payment.pending', 'payment.authorised'];
      expect(playHistory(openAttempt(1), answerWith(authorised), paymentEvent('authorised')).notified).to.deep.equal(
        both,
      );
      const events = playHistory(
        openAttempt(1),
        answerWith(pending),
        paymentEvent('authorised'),
        paymentEvent('authorised'),
      );
      expect(events.notified).to.deep.equal(both);
      expect(events.record.attempts[0]!.authorisedAt).to.deep.equal(at(20));
    });

    it('is not notified once the payment is settled', () => {
      for (const settled of [paymentEvent('succeeded'), paymentEvent('failed')])
        expect(playHistory(openAttempt(1), settled, paymentEvent('authorised')).notified).not.to.include(
          'payment.authorised',
        );
    });
  });

  describe('an answer that never came', () => {
    it('keeps the attempt pending and logs OUTCOME_UNKNOWN', () => {
      const { record } = playHistory(
        openAttempt(1),
        answerWith({ outcome: 'unknown', reason: 'the connection was closed' }),
      );
      expect(record.statusId).to.equal(1);
      expect(record.attempts[0]).to.include({ outcome: 'open', unknown: true, nothingCharged: false });
      expect(lastLogOf(record)).to.include({
        code: 'OUTCOME_UNKNOWN',
        message: 'the connection was closed',
        transactionStatusId: 1,
      });
    });

    it('is no longer unknown once the provider knows the payment', () => {
      const { record } = playHistory(
        openAttempt(1),
        answerWith(unknownOutcome),
        paymentEvent('pending', { dedupeKey: null }),
      );
      expect(record.attempts[0]).to.include({ unknown: false, outcome: 'open', providerReference: 'P-1' });
    });

    it('keeps the action of the payer', () => {
      const { record } = playHistory(
        openAttempt(1),
        answerWith(pending, { action: encrypted }),
        answerWith(unknownOutcome),
      );
      expect(record.attempts[0]!.action).to.equal(encrypted);
    });
  });

  describe('a fallback', () => {
    const falls = answerWith(nothingWasCharged, { fallback });

    it('is opened in the same step if certainly nothing was charged', () => {
      const { record, notified } = continueWith(playHistory(openAttempt(1)), falls);
      expect(record.attempts.map(({ outcome }) => outcome)).to.deep.equal(['failed', 'open']);
      expect(record.statusId).to.equal(1);
      expect(notified).to.deep.equal([]);
      expect(lastLogOf(record).message).to.match(/^nothing was charged/);
    });

    const never: [string, TestStep[], TestStep][] = [
      ['after a decline', [openAttempt(1)], answerWith(declined, { fallback })],
      ['after an unknown outcome', [openAttempt(1)], answerWith(unknownOutcome, { fallback })],
      ['if a callback said paid', [openAttempt(1), paymentEvent('succeeded')], falls],
      ['if a callback said failed, and the merchant may try again', [openAttempt(1), paymentEvent('failed')], falls],
      ['if a callback said expired', [openAttempt(1), paymentEvent('expired')], falls],
      [
        'if an earlier attempt paid before the answer',
        [openAttempt(1), paymentEvent('failed'), openAttempt(2), paymentEvent('succeeded')],
        answerWith(nothingWasCharged, { attempt: 2, fallback: newAttempt(3) }),
      ],
    ];
    for (const [name, before, answer] of never) {
      it(`is not opened ${name}`, () => {
        const history = playHistory(...before, answer);
        expect(history.record.attempts.length).to.equal(before.filter(({ type }) => type === 'open').length);
        checkHistory(history);
      });
    }
  });

  describe('a second success', () => {
    const doubled = [...failedTwice, paymentEvent('succeeded', second), answerWith(withReference(succeeded))] as const;

    it('keeps the status paid and is logged once as DOUBLE_CHARGE', () => {
      const { record, notified } = playHistory(...doubled, paymentEvent('succeeded', { dedupeKey: 'again' }));
      expect(record.statusId).to.equal(2);
      expect(record.logs.map(({ code }) => code).filter((code) => code === 'DOUBLE_CHARGE')).to.have.length(1);
      expect(lastLogOf(record)).to.include({ code: 'DOUBLE_CHARGE', attempt: 1, transactionStatusId: 2 });
      expect(notified.filter((type) => type === 'payment.succeeded')).to.have.length(1);
    });

    it('adds its amount and its fee', () => {
      expect(playHistory(...doubled).record).to.include({ paidAmount: '20', paidCurrency: 'EUR', feeAmount: '0.8' });
    });

    it('makes the sums of the client due, as does every refund of either charge', () => {
      const { record } = playHistory(...doubled);
      expect(record.depositDue).to.equal(record.version + 1);
      const counted = { ...record, version: 8, depositDue: null };
      const due = (fact: Fact) => {
        const decision = decide(counted, fact, feeOf);
        return 'next' in decision ? decision.next.depositDue : undefined;
      };
      expect(due(refundEvent('succeeded', '10'))).to.equal(9);
      expect(due(chargebackEvent('opened'))).to.equal(null);
    });

    it('makes the payment refunded only when both charges are refunded', () => {
      const one = playHistory(...doubled, refundEvent('succeeded', '10'));
      expect(one.record).to.include({ statusId: 2, refundedAmount: '10' });
      expect(one.notified.at(-1)).to.equal('payment.partially_refunded');
      const both = continueWith(one, refundEvent('succeeded', '10', second));
      expect(both.record).to.include({ statusId: 4, refundedAmount: '20' });
      expect(both.notified.at(-1)).to.equal('payment.refunded');
    });
  });

  describe('an attempt', () => {
    it('is paid immediately only by the answer to the submission', () => {
      const isAtOnce = (...steps: TestStep[]): boolean => playHistory(...steps).record.attempts[0]!.paidAtOnce;
      expect(isAtOnce(openAttempt(1), answerWith(succeeded))).to.equal(true);
      expect(isAtOnce(openAttempt(1), paymentEvent('succeeded'), answerWith(succeeded))).to.equal(true);
      expect(isAtOnce(openAttempt(1), answerWith(pending), paymentEvent('succeeded'))).to.equal(false);
      const completes = answerWith(succeeded, { completed: 'a nonce' });
      expect(isAtOnce(openAttempt(1), answerWith(pending, { action: encrypted }), completes)).to.equal(false);
    });

    it('is marked late if its money came after expiry or cancel', () => {
      const isLate = (...steps: TestStep[]): boolean => playHistory(openAttempt(1), ...steps).record.attempts[0]!.late;
      expect(isLate(paymentEvent('expired'), paymentEvent('succeeded'))).to.equal(true);
      expect(isLate(paymentEvent('expired'), answerWith(succeeded))).to.equal(true);
      expect(isLate(paymentEvent('late'))).to.equal(true);
      expect(isLate(answerWith(declined), cancelPayment, paymentEvent('succeeded'))).to.equal(true);
      expect(isLate(answerWith(declined), paymentEvent('succeeded'))).to.equal(false);
    });

    it('keeps no details of a failure once it succeeded', () => {
      const failed = answerWith({ outcome: 'failed', decline: '51', declineText: 'no funds', threeDsResult: 'N' });
      const { record } = playHistory(openAttempt(1), failed, paymentEvent('cancelled'), paymentEvent('succeeded'));
      expect(record.attempts[0]).to.include({
        decline: null,
        declineText: null,
        threeDsResult: null,
        cancelled: false,
      });
    });

    it('fails without a decline if the payer cancelled, and can be paid by another attempt', () => {
      const cancelled = answerWith({ outcome: 'failed', cancelled: true, reason: 'closed the window' });
      const { record, notified } = playHistory(openAttempt(1), answerWith(pending, { action: encrypted }), cancelled);
      expect(record.attempts[0]).to.include({
        outcome: 'failed',
        cancelled: true,
        decline: null,
        nothingCharged: false,
        action: null,
      });
      expect(lastLogOf(record)).to.include({
        code: '',
        message: 'the payer cancelled: closed the window',
        transactionStatusId: 3,
      });
      expect([record.statusId, notified]).to.deep.equal([3, ['payment.pending', 'payment.failed']]);
      const paid = playHistory(openAttempt(1), cancelled, paymentEvent('succeeded'));
      expect([paid.record.statusId, paid.record.attempts[0]!.cancelled]).to.deep.equal([2, false]);
      const declinedLater = playHistory(openAttempt(1), cancelled, answerWith(declined)).record.attempts[0]!;
      expect([declinedLater.decline, declinedLater.cancelled]).to.deep.equal(['51', false]);
    });

    it('keeps the action after a wrong member code', () => {
      const wrong = answerWith({ outcome: 'pending', codeRefused: true });
      const { record } = playHistory(openAttempt(1), answerWith(pending, { action: encrypted }), wrong);
      expect(record.attempts[0]!.action).to.equal(encrypted);
      expect(lastLogOf(record).message).to.match(/wrong code/);
    });

    it('has no action once it is settled, even if the answer with the action comes last', () => {
      for (const over of ['succeeded', 'failed', 'expired', 'cancelled'] as const) {
        for (const steps of [
          [answerWith(pending, { action: encrypted }), paymentEvent(over)],
          [paymentEvent(over), answerWith(pending, { action: encrypted })],
        ]) {
          expect(playHistory(openAttempt(1), ...steps).record.attempts[0]!.action, over).to.equal(null);
        }
      }
    });

    it('uses the decline of an answer that comes after a callback without a decline', () => {
      const { record, notified } = playHistory(openAttempt(1), paymentEvent('failed'), answerWith(declined));
      expect(record.attempts[0]!.decline).to.equal('51');
      expect(lastLogOf(record).code).to.equal('51');
      expect(notified).to.deep.equal(['payment.failed']);
    });
  });

  describe('the log', () => {
    it('has one entry per outcome and per event that adds a fact', () => {
      const { record } = playHistory(
        openAttempt(1),
        answerWith(withReference(pending)),
        paymentEvent('pending'),
        paymentEvent('succeeded'),
      );
      expect(record.logs.map(({ message }) => message)).to.deep.equal(['pending', 'payment succeeded (succeeded)']);
    });

    it('shows the status of the payment, not the one of a late answer', () => {
      for (const late of [answerWith(declined), answerWith(pending), answerWith(unknownOutcome)]) {
        const { record } = playHistory(openAttempt(1), paymentEvent('succeeded'), late);
        expect(lastLogOf(record), late.outcome.outcome).to.include({ transactionStatusId: 2, code: '' });
      }
    });

    it('keeps a refused event once, and does not show it as the last message', () => {
      const wrong = paymentEvent('succeeded', { amount: '9.99', dedupeKey: null });
      const { record, results } = playHistory(openAttempt(1), answerWith(withReference(pending)), wrong, wrong);
      expect(record.logs.map(({ refused }) => refused)).to.deep.equal([false, true]);
      expect(record.logs[1]!.message).to.match(/amount 9\.99 EUR does not fit 10\.00 EUR/);
      expect(lastLogOf(record).message).to.equal('pending');
      expect(results.slice(-2).map(({ kind }) => kind)).to.deep.equal(['refused', 'refused']);
    });

    it('keeps a bounded number of refused events', () => {
      const wrong = Array.from({ length: 80 }, (_, cents) => paymentEvent('succeeded', { amount: `11.${cents + 10}` }));
      expect(playHistory(openAttempt(1), ...wrong).record.logs).to.have.length(50);
    });
  });

  describe('our own refund', () => {
    const paid = [openAttempt(1), answerWith(withReference(succeeded)), requestRefund(1, '4')] as const;
    const outcomes: [Outcome, string, string, NotificationType | undefined][] = [
      [{ outcome: 'succeeded', providerReference: 'R-1' }, 'succeeded', '4', 'payment.partially_refunded'],
      [{ outcome: 'pending', providerReference: 'R-1' }, 'pending', '0', undefined],
      [{ outcome: 'failed', nothingCharged: true }, 'failed', '0', undefined],
      [{ outcome: 'unknown' }, 'unknown', '0', undefined],
    ];
    for (const [outcome, state, sum, notified] of outcomes) {
      it(`is ${state} after the answer ${outcome.outcome}`, () => {
        const history = playHistory(...paid, answerRefund(1, outcome));
        expect(history.record.refunds[0]!.state).to.equal(state);
        expect(history.record.refundedAmount).to.equal(sum);
        expect(history.results.at(-1)!.notified).to.deep.equal(notified ? [notified] : []);
        expect(lastLogOf(history.record).code).to.equal(state === 'unknown' ? 'OUTCOME_UNKNOWN' : '');
        checkHistory(history);
      });
    }

    it('counts once by its number, in any order of answer and event', () => {
      const answer = answerRefund(1, { outcome: 'succeeded', providerReference: 'R-1' });
      const event = refundEvent('succeeded', '4', { subReference: 'R-1' });
      for (const steps of [
        [answer, event],
        [event, answer],
      ]) {
        const { record } = playHistory(...paid, ...steps);
        expect(record.refundedAmount).to.equal('4');
        expect(record.refunds[0]!.state).to.equal('succeeded');
      }
    });

    it('stays pending under its number if a later answer never came', () => {
      const pending = answerRefund(1, { outcome: 'pending', providerReference: 'R-1' });
      const history = playHistory(...paid, pending, answerRefund(1, { outcome: 'unknown' }));
      expect(history.record.refunds[0]!).to.include({ state: 'pending', providerReference: 'R-1' });
      expect(lastLogOf(history.record).code).to.equal('');
    });

    it('ignores the same number of another attempt’s refund', () => {
      const other = refundEvent('succeeded', '4', { attempt: 2, subReference: 'R-1' });
      const requested = [requestRefund(1, '4'), answerRefund(1, { outcome: 'pending', providerReference: 'R-1' })];
      const { record } = playHistory(...failedTwice, paymentEvent('succeeded'), other, ...requested);
      expect(record.refunds[0]!.state).to.equal('pending');
    });
  });

  it('keeps a bounded number of event ids, and still counts an unnumbered refund once', () => {
    const first = refundEvent('succeeded', '1', { dedupeKey: 'the first' });
    const others = Array.from({ length: 205 }, (_, n) => refundEvent('failed', '1', { dedupeKey: `later ${n}` }));
    const { record } = playHistory(openAttempt(1), answerWith(withReference(succeeded)), first, ...others, first);
    expect(record.seenEventIds).to.have.length(200);
    expect(record.refundedAmount).to.equal('1');
  });

  it('ignores a cancel or an expiry that is known or too late', () => {
    const kindOf = (record: PaymentRecord, type: 'cancel' | 'expire'): string =>
      decide(record, { type, at: at(99) }, feeOf).kind;
    expect(kindOf(playHistory(cancelPayment).record, 'cancel')).to.equal('nothing');
    expect(kindOf(playHistory(cancelPayment).record, 'expire')).to.equal('nothing');
    expect(kindOf(playHistory(expirePayment).record, 'expire')).to.equal('nothing');
    expect(kindOf(playHistory(openAttempt(1)).record, 'expire')).to.equal('nothing');
  });

  it('ignores an attempt or a refund that does not exist', () => {
    for (const fact of [answerWith(succeeded), paymentEvent('succeeded'), answerRefund(1, succeeded)]) {
      expect(decide(paymentRecord(), fact, feeOf).kind).to.equal('nothing');
    }
  });
});

describe('transactionStatus', () => {
  const statuses: [string, TestStep[], number][] = [
    ['no attempt yet', [], 0],
    ['pending', [openAttempt(1)], 1],
    ['succeeded', [openAttempt(1), answerWith(succeeded)], 2],
    ['failed', [openAttempt(1), answerWith(declined)], 3],
    ['pending again with a second attempt', [openAttempt(1), answerWith(declined), openAttempt(2)], 1],
    ['succeeded although a later attempt failed', [...failedTwice, paymentEvent('succeeded')], 2],
  ];
  for (const [name, steps, expected] of statuses) {
    it(`returns ${expected}: ${name}`, () => {
      expect(transactionStatus(playHistory(...steps).record)).to.equal(expected);
    });
  }
});
