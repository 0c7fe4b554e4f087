import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Notice } from '../../../database/collections/payment-request.ts';
import {
  answerRefund,
  answerWith,
  feeOf,
  openAttempt,
  paymentEvent,
  playHistory,
  refundEvent,
  requestRefund,
  succeeded,
  declined,
  withReference,
  type History,
  type TestStep,
} from '../testing/steps.ts';
import { decide } from './decide.ts';
import type { Fact } from './fact.ts';
import { refundEntries } from './refund-entries.ts';

const paid = [openAttempt(1), answerWith(withReference(succeeded))] as const;
const numbered = { subReference: 'R-1' };

/** Each refund as `id reference amount status reason charge`. */
function listed(history: History): string[] {
  return refundEntries(history.record).map(({ id, reference, amount, status, failureReason, charge }) =>
    [id.replace(/-P[0-9a-f]{8}$/, '-P#'), reference, amount, status, failureReason, charge].join(' '),
  );
}

/** As an earlier version stored it. */
function withoutTimes<T extends object>(refund: T): T {
  const added = ['doneAt', 'reportedAt', 'failureReason'];
  return Object.fromEntries(Object.entries(refund).filter(([name]) => !added.includes(name))) as T;
}

/** The notices of the last fact. */
function noticesOf(steps: readonly TestStep[], fact: Fact): readonly Notice[] {
  const decision = decide(playHistory(...steps).record, fact, feeOf);
  return decision.kind === 'changed' ? decision.notify : [];
}

describe('refundEntries', () => {
  const tables: [string, TestStep[], string[]][] = [
    ['lists no refund of a payment without refunds', [], []],
    ['lists our refund from its request', [requestRefund(1, '4')], ['GW-10042-1-R1  4 pending  1']],
    [
      'shows a refund without an answer as pending',
      [requestRefund(1, '4'), answerRefund(1, { outcome: 'unknown' })],
      ['GW-10042-1-R1  4 pending  1'],
    ],
    [
      'shows why the provider refused a refund',
      [requestRefund(1, '4'), answerRefund(1, { outcome: 'failed', nothingCharged: true, reason: 'no funds' })],
      ['GW-10042-1-R1  4 failed no funds 1'],
    ],
    [
      'shows why a refund failed later',
      [
        requestRefund(1, '4'),
        answerRefund(1, { outcome: 'pending', providerReference: 'R-1' }),
        refundEvent('failed', '4', { ...numbered, details: { reason: 'expired_or_canceled_card' } }),
      ],
      ['GW-10042-1-R1 R-1 4 failed expired_or_canceled_card 1'],
    ],
    [
      'joins a report that arrives before the answer to its refund',
      [requestRefund(1, '4'), refundEvent('succeeded', '4', numbered)],
      ['GW-10042-1-R1 R-1 4 succeeded  1'],
    ],
    [
      'lists a refund that was made at the provider',
      [requestRefund(1, '4'), refundEvent('succeeded', '3', numbered)],
      ['GW-10042-1-R1  4 pending  1', 'GW-10042-1-P# R-1 3 succeeded  1'],
    ],
    [
      'lists a refund without a number that is none of ours',
      [requestRefund(1, '4'), refundEvent('succeeded', '4', {}), refundEvent('succeeded', '4', { dedupeKey: 'other' })],
      ['GW-10042-1-R1  4 succeeded  1', 'GW-10042-1-P#  4 succeeded  1'],
    ],
    [
      'shows one of two refunds as pending while one report may be about either',
      [
        requestRefund(1, '4'),
        refundEvent('succeeded', '4', {}),
        requestRefund(2, '4'),
        answerRefund(2, { outcome: 'succeeded' }),
      ],
      ['GW-10042-1-R1  4 succeeded  1', 'GW-10042-1-R2  4 pending  1'],
    ],
    [
      'lists the part of a running total that no other refund explains',
      [requestRefund(1, '4'), refundEvent('succeeded', '7', { cumulative: true })],
      ['GW-10042-1-R1  4 succeeded  1', 'GW-10042-1-PT  3 succeeded  1'],
    ],
    [
      'shows a refund whose money came back',
      [refundEvent('succeeded', '4', numbered), refundEvent('reversed', '4', { ...numbered, declineText: 'closed' })],
      ['GW-10042-1-P# R-1 4 reversed closed 1'],
    ],
    [
      'shows the rest of a refund of which a part came back',
      [refundEvent('succeeded', '4', numbered), refundEvent('reversed', '1', numbered)],
      ['GW-10042-1-P# R-1 3 succeeded  1'],
    ],
    [
      'takes back the latest refund of the amount if a reversal has no number',
      [
        refundEvent('succeeded', '4', numbered),
        refundEvent('succeeded', '3', { subReference: 'R-2' }),
        refundEvent('reversed', '4', {}),
      ],
      ['GW-10042-1-P# R-1 4 reversed  1', 'GW-10042-1-P# R-2 3 succeeded  1'],
    ],
  ];
  for (const [title, steps, expected] of tables) {
    it(title, () => expect(listed(playHistory(...paid, ...steps))).to.deep.equal(expected));
  }

  it('names the charge of each refund, in the order in which the payment was charged', () => {
    const doubled = [
      openAttempt(1),
      answerWith(declined),
      openAttempt(2),
      answerWith(succeeded, { attempt: 2, at: new Date(0) }),
      paymentEvent('succeeded'),
    ];
    expect(listed(playHistory(...doubled, requestRefund(1, '3'), requestRefund(2, '4', 2)))).to.deep.equal([
      'GW-10042-2-R2  4 pending  1',
      'GW-10042-1-R1  3 pending  2',
    ]);
  });

  it('lists no refund of an attempt that brought no money', () => {
    expect(listed(playHistory(openAttempt(1), refundEvent('succeeded', '4', numbered)))).to.deep.equal([]);
  });

  it('keeps the id of a refund that was made at the provider through all its states', () => {
    const ids = (['pending', 'succeeded', 'reversed'] as const).map(
      (_, index, states) =>
        refundEntries(
          playHistory(...paid, ...states.slice(0, index + 1).map((state) => refundEvent(state, '4', numbered))).record,
        )[0]?.id,
    );
    expect(ids[0]).to.match(/^GW-10042-1-P[0-9a-f]{8}$/);
    expect(new Set(ids).size).to.equal(1);
  });

  it('shows the times of the request and of the result', () => {
    const [ours, other] = refundEntries(
      playHistory(
        ...paid,
        requestRefund(1, '4'),
        answerRefund(1, { outcome: 'succeeded', providerReference: 'R-1' }),
        refundEvent('pending', '3', { subReference: 'R-2' }),
      ).record,
    );
    expect([ours?.createdAt?.getUTCSeconds(), ours?.doneAt?.getUTCSeconds()]).to.deep.equal([25, 30]);
    expect([other?.createdAt?.getUTCSeconds(), other?.doneAt]).to.deep.equal([20, null]);
  });

  it('shows refunds that an earlier version stored without times and reasons', () => {
    const { record } = playHistory(
      ...paid,
      requestRefund(1, '4'),
      answerRefund(1, { outcome: 'failed', reason: 'no funds' }),
      refundEvent('succeeded', '3', numbered),
    );
    const refunds = record.refunds.map(withoutTimes);
    const reportedRefunds = record.reportedRefunds.map(withoutTimes);
    const entries = refundEntries({ ...record, refunds, reportedRefunds });
    expect(
      entries.map(({ createdAt, doneAt, failureReason }) => [createdAt === null, doneAt, failureReason]),
    ).to.deep.equal([
      [false, null, null],
      [true, null, null],
    ]);
  });
});

describe('a notification about a refund', () => {
  const requested = [...paid, requestRefund(1, '4')];
  const pending = [...requested, answerRefund(1, { outcome: 'pending', providerReference: 'R-1' })];

  it('names our refund, also if the report arrives before the answer', () => {
    const event = refundEvent('succeeded', '4', numbered);
    for (const steps of [requested, pending])
      expect(noticesOf(steps, event)).to.deep.equal([{ type: 'payment.partially_refunded', refund: 'GW-10042-1-R1' }]);
  });

  it('is sent if a refund fails after it was accepted', () => {
    const notice = [{ type: 'payment.refund_failed', refund: 'GW-10042-1-R1' }];
    expect(noticesOf(pending, refundEvent('failed', '4', numbered))).to.deep.equal(notice);
    expect(noticesOf(requested, refundEvent('failed', '4', numbered))).to.deep.equal(notice);
  });

  it('is sent if a worker receives the refusal, but not if a caller waits for it', () => {
    const refused = answerRefund(1, { outcome: 'failed', reason: 'no funds' });
    expect(noticesOf(pending, refused)).to.deep.equal([]);
    expect(noticesOf(pending, { ...refused, isByWorker: true })).to.deep.equal([
      { type: 'payment.refund_failed', refund: 'GW-10042-1-R1' },
    ]);
  });

  it('is sent if the money came back, and names that refund', () => {
    const steps = [...pending, refundEvent('succeeded', '4', numbered)];
    expect(noticesOf(steps, refundEvent('reversed', '4', numbered))).to.deep.equal([
      { type: 'payment.refund_reversed', refund: 'GW-10042-1-R1' },
    ]);
  });

  it('is sent once: a repeated failure adds nothing', () => {
    const failed = refundEvent('failed', '4', numbered);
    const again = { ...failed, event: { ...failed.event, dedupeKey: 'again' } };
    expect(noticesOf([...pending, failed], again)).to.deep.equal([]);
  });
});
