import { expect } from 'chai';
import { describe, it } from 'mocha';
import { derive } from './derive-status.ts';
import type { Fact } from './fact.ts';
import { unconfirmedRefund } from './refund-reports.ts';
import type { RefundStatus } from '../types/refund-status.ts';
import { checkHistory } from '../testing/expectations.ts';
import {
  answerRefund,
  answerWith,
  everyOrder,
  openAttempt,
  playHistory,
  refundEvent,
  requestRefund,
  succeeded,
  withReference,
  type TestStep,
} from '../testing/steps.ts';

const toPaid = [openAttempt(1), answerWith(withReference(succeeded))] as const;
type State = RefundStatus;
const report = (state: State, members: { readonly orderHint?: number; readonly occurredAt?: Date } = {}): TestStep =>
  refundEvent(state, '4', { subReference: 'R-1', dedupeKey: `R-1:${state}`, ...members });
const shown = (state: State): Fact =>
  refundEvent(state, '4', { subReference: 'R-1', dedupeKey: `R-1:${state}`, fetched: true });

describe('a refund that is reported as succeeded and as failed', () => {
  const sets: [string, TestStep[], string][] = [
    ['failed later, by the hint', [report('succeeded', { orderHint: 1 }), report('failed', { orderHint: 2 })], '0'],
    ['succeeded later, by the hint', [report('succeeded', { orderHint: 2 }), report('failed', { orderHint: 1 })], '4'],
    [
      'failed later, by the time',
      [report('succeeded', { occurredAt: new Date(1000) }), report('failed', { occurredAt: new Date(2000) })],
      '0',
    ],
    ['reversed later, by the hint', [report('succeeded', { orderHint: 1 }), report('reversed', { orderHint: 2 })], '0'],
    [
      'succeeded again, by the hint',
      [report('succeeded', { orderHint: 3 }), report('reversed', { orderHint: 2 })],
      '4',
    ],
    ['failed, without a hint', [report('succeeded'), report('failed'), report('pending')], '0'],
    ['failed, with one hint alone', [report('succeeded', { orderHint: 2 }), report('failed')], '0'],
    ['failed and reversed count once', [report('succeeded'), report('failed'), report('reversed')], '0'],
    [
      'needs the merchant later, by the hint',
      [report('succeeded', { orderHint: 1 }), report('needs_merchant', { orderHint: 2 })],
      '0',
    ],
    [
      'needs the merchant first, by the hint',
      [report('succeeded', { orderHint: 2 }), report('needs_merchant', { orderHint: 1 })],
      '4',
    ],
    ['needs the merchant, without a hint', [report('succeeded'), report('needs_merchant')], '4'],
    ['failed alone', [report('pending'), report('failed')], '0'],
  ];
  for (const [name, steps, refundedAmount] of sets) {
    it(`has ${refundedAmount} refunded in every order: ${name}`, () => {
      for (const history of everyOrder([...toPaid, ...steps])) {
        checkHistory(history);
        expect(history.record.refundedAmount).to.equal(refundedAmount);
      }
    });
  }

  it('is reversed if our own request was answered as succeeded', () => {
    const answered = answerRefund(1, { outcome: 'succeeded', providerReference: 'R-1' });
    for (const history of everyOrder([...toPaid, requestRefund(1, '4'), answered, report('failed')])) {
      checkHistory(history);
      expect(history.record.refundedAmount).to.equal('0');
      expect(unconfirmedRefund(history.record, 1)).to.equal('R-1');
    }
  });

  it('notifies of the reversal and logs it', () => {
    const { record, notified } = playHistory(...toPaid, report('succeeded'), report('failed'));
    expect(notified.slice(-2)).to.deep.equal(['payment.partially_refunded', 'payment.refund_reversed']);
    expect(record.logs.at(-1)).to.include({ message: 'refund failed (failed)', refused: false });
  });

  it('requests one fetch of the refund if neither a hint nor a time decides, and lets the fetch decide', () => {
    const { record } = playHistory(...toPaid, report('succeeded'), report('failed'), report('failed'));
    expect(record.attempts[0]).to.deep.include({ fetchesRequested: 1, fetchSubjects: ['R-1'] });
    expect(unconfirmedRefund(record, 1)).to.equal('R-1');
    for (const [state, refundedAmount] of [
      ['succeeded', '4'],
      ['failed', '0'],
    ] as const) {
      const confirmed = playHistory(...toPaid, report('succeeded'), report('failed'), shown(state), shown(state));
      expect([confirmed.record.refundedAmount, unconfirmedRefund(confirmed.record, 1)]).to.deep.equal([
        refundedAmount,
        undefined,
      ]);
      expect(confirmed.results.at(-1)!.kind).to.equal('nothing');
    }
  });

  it('requests no fetch if a hint or a time decides', () => {
    for (const order of [1, 3]) {
      const steps = [report('succeeded', { orderHint: 2 }), report('failed', { orderHint: order })];
      const { record } = playHistory(...toPaid, ...steps);
      expect([record.attempts[0]!.fetchesRequested, unconfirmedRefund(record, 1)]).to.deep.equal([0, undefined]);
    }
  });

  it('is confirmed once the fetch was done, even if the provider shows no refunds', () => {
    const { record } = playHistory(...toPaid, report('succeeded'), report('failed'));
    const attempts = record.attempts.map((attempt) => ({ ...attempt, fetchesDone: 1 }));
    expect(unconfirmedRefund({ ...record, attempts }, 1)).to.equal(undefined);
  });

  it('is not confirmed by a fetch that was given up without an answer', () => {
    const { record } = playHistory(...toPaid, report('succeeded'), report('failed'));
    const attempts = record.attempts.map((attempt) => ({ ...attempt, fetchesDone: 1, fetchFailures: 201 }));
    expect(unconfirmedRefund({ ...record, attempts }, 1)).to.equal('R-1');
  });

  it('stays refunded if an earlier version stored both reports', () => {
    const { record } = playHistory(...toPaid, report('failed'), report('succeeded'));
    const reportedRefunds = record.reportedRefunds.map(({ attempt, subReference, eventId, amount, state }) => {
      return { attempt, subReference, eventId, amount, state };
    });
    expect(derive(record).refundedAmount).to.equal('0');
    expect(derive({ ...record, reportedRefunds }).refundedAmount).to.equal('4');
  });

  it('keeps the time and the reason of a report that a later one contradicts', () => {
    const failed = refundEvent('failed', '4', { subReference: 'R-1', declineText: 'closed account' });
    const { record } = playHistory(...toPaid, failed, { ...report('succeeded'), at: new Date(9000) } as Fact);
    const { reportedAt, failureReason } = record.reportedRefunds.find(({ state }) => state === 'failed')!;
    expect([reportedAt, failureReason]).to.deep.equal([failed.at, 'closed account']);
  });

  it('is undecided again if a report comes after the fetch', () => {
    const { record } = playHistory(
      ...toPaid,
      report('succeeded'),
      shown('failed'),
      shown('succeeded'),
      report('reversed'),
    );
    expect([record.refundedAmount, unconfirmedRefund(record, 1)]).to.deep.equal(['0', 'R-1']);
  });

  it('keeps the part that came back of a refund, whatever a fetch shows', () => {
    const part = refundEvent('reversed', '1', { subReference: 'R-1' });
    const { record } = playHistory(...toPaid, report('succeeded'), part, shown('succeeded'));
    expect([record.refundedAmount, unconfirmedRefund(record, 1)]).to.deep.equal(['3', undefined]);
  });
});
