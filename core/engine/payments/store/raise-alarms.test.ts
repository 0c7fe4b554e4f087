import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { RefundState } from '../../../database/collections/refund.ts';
import { newRefund } from '../refund/new-refund.ts';
import { at, newAttempt, paymentRecord } from '../testing/steps.ts';
import { createPaymentAlarms } from './raise-alarms.ts';

const recordOf = (members: object): PaymentRecord =>
  ({
    _id: 10_042,
    logs: [],
    attempts: [],
    refunds: [],
    reportedRefunds: [],
    refundTotals: [],
    disputeStages: [],
    ...members,
  }) as unknown as PaymentRecord;
const refunded = (state: RefundState, checks = 0) =>
  recordOf({ refunds: [{ n: 1, reference: 'GW-10042-1-r1', state, checks }] });
const attempted = (outcome: string, needsReview: boolean) =>
  recordOf({ attempts: [{ n: 1, adapter: 'provider-a', outcome, needsReview, threeDsDemand: null }] });

/** The alarms that a change raises and clears. */
function alarmsOf(before: PaymentRecord | undefined, after: PaymentRecord): { raised: string[]; cleared: string[] } {
  const [raised, cleared]: [string[], string[]] = [[], []];
  createPaymentAlarms({
    raise: (kind, { id }) => raised.push(`${kind} ${id}`),
    clear: (kind, { id }) => cleared.push(`${kind} ${id}`),
  })(after, before);
  return { raised, cleared };
}

describe('createPaymentAlarms', () => {
  it('reports that a refund failed finally if the merchant knows it as pending', () => {
    for (const state of ['pending', 'unknown'] as const)
      expect(alarmsOf(refunded(state), refunded('failed')).raised, state).to.deep.equal(['refund_failed 10042']);
    for (const state of ['requested', 'failed'] as const)
      expect(alarmsOf(refunded(state), refunded('failed')).raised, state).to.deep.equal([]);
    expect(alarmsOf(refunded('pending'), refunded('succeeded')).raised).to.deep.equal([]);
    expect(alarmsOf(undefined, refunded('failed')).raised).to.deep.equal([]);
  });

  it('raises an alarm while the merchant must send a refund, and clears it with the last of them', () => {
    const attempt = newAttempt(1, { outcome: 'succeeded' });
    const withStates = (...states: RefundState[]): PaymentRecord =>
      paymentRecord({
        attempts: [attempt],
        refunds: states.map((state, index) => ({
          ...newRefund(paymentRecord({ attempts: [attempt] }), attempt, { amount: '4', at: at(1), sentAt: at(1) }),
          n: index + 1,
          reference: `GW-10042-1-R${index + 1}`,
          state,
        })),
      });
    const kind = 'refund_needs_merchant 10042';
    expect(alarmsOf(withStates('pending'), withStates('needs_merchant')).raised).to.deep.equal([kind]);
    expect(alarmsOf(withStates('needs_merchant'), withStates('needs_merchant')).raised).to.deep.equal([]);
    const second = alarmsOf(withStates('needs_merchant', 'pending'), withStates('needs_merchant', 'needs_merchant'));
    expect(second.raised).to.deep.equal([kind]);
    const one = alarmsOf(withStates('needs_merchant', 'needs_merchant'), withStates('succeeded', 'needs_merchant'));
    expect(one).to.deep.equal({ raised: [], cleared: [] });
    expect(alarmsOf(withStates('needs_merchant'), withStates('succeeded')).cleared).to.deep.equal([kind]);
    const failed = alarmsOf(withStates('needs_merchant'), withStates('failed'));
    expect(failed).to.deep.equal({ raised: ['refund_failed 10042'], cleared: [kind] });
  });

  it('reports once that money which was reported as collected does not arrive', () => {
    const paid = (captureFailedAt: Date | null) =>
      recordOf({ attempts: [{ n: 1, adapter: 'adyen', outcome: 'succeeded', captureFailedAt, threeDsDemand: null }] });
    const failed = paid(new Date(0));
    expect(alarmsOf(paid(null), failed).raised).to.deep.equal(['capture_failed 10042']);
    expect([alarmsOf(failed, failed).raised, alarmsOf(undefined, paid(null)).raised]).to.deep.equal([[], []]);
  });

  it('raises one alarm per payment and kind of event that does not fit', () => {
    const logs = [
      { n: 1, message: 'succeeded' },
      { n: 2, message: 'refused payment', misfit: 'payment' },
      { n: 3, message: 'refused payment again', misfit: 'payment' },
      { n: 4, message: 'refused refund', misfit: 'refund' },
    ];
    const upTo = (n: number) => recordOf({ logs: logs.slice(0, n) });
    const raised = [1, 2, 3].map((n) => alarmsOf(upTo(n), upTo(n + 1)).raised);
    const [payment, refund] = ['event_without_effect 10042: payment', 'event_without_effect 10042: refund'];
    expect(raised).to.deep.equal([[payment], [], [refund]]);
    expect(alarmsOf(upTo(1), upTo(4)).raised).to.deep.equal([payment, refund]);
  });

  it('raises an alarm while an open or lost dispute is about more than was paid, or about another currency', () => {
    const attempts = [{ n: 1, amount: '100', currency: 'EUR', outcome: 'succeeded', threeDsDemand: null }];
    const stage = (about: object) => ({ attempt: 1, subReference: 'D-1', stage: 'opened', order: null, ...about });
    const disputed = (...stages: object[]) => recordOf({ attempts, disputeStages: stages.map(stage) });
    const more = disputed({ amount: '104.13' });
    for (const differs of [more, disputed({ amount: '90', currency: 'USD' })])
      expect(alarmsOf(disputed(), differs).raised).to.deep.equal(['dispute_differs 10042']);
    const sum = disputed({ amount: '60' }, { amount: '60', subReference: 'D-2' });
    expect(alarmsOf(disputed({ amount: '60' }), sum).raised).to.deep.equal(['dispute_differs 10042']);
    for (const fits of [disputed({ amount: '100.00' }), disputed({ amount: '5' }), disputed({ amount: null })])
      expect(alarmsOf(disputed(), fits).raised).to.deep.equal([]);
    const won = disputed({ amount: '104.13' }, { amount: '104.13', stage: 'won' });
    expect(alarmsOf(more, won)).to.deep.equal({ raised: [], cleared: ['dispute_differs 10042'] });
    expect(alarmsOf(more, more)).to.deep.equal({ raised: [], cleared: [] });
  });

  it('keeps the alarm of a double charge until one charge is refunded, so a refused refund does not raise it again', () => {
    const charge = (n: number) => ({ n, amount: '10', received: null, outcome: 'succeeded', threeDsDemand: null });
    const withRefund = (state?: RefundState) =>
      recordOf({
        attempts: [1, 2].map(charge),
        reportedRefunds: [],
        refundTotals: [],
        refunds: state
          ? [
              {
                n: 1,
                attempt: 2,
                reference: 'r',
                state,
                amount: '10',
                checks: 0,
                answeredSucceeded: state === 'succeeded',
              },
            ]
          : [],
      });
    expect(alarmsOf(withRefund(), withRefund('requested'))).to.deep.equal({ raised: [], cleared: [] });
    expect(alarmsOf(withRefund('requested'), withRefund('failed')).raised).to.deep.equal([]);
    expect(alarmsOf(withRefund('requested'), withRefund('succeeded')).cleared).to.deep.equal(['charged_twice 10042']);
    expect(alarmsOf(withRefund('succeeded'), withRefund()).raised).to.deep.equal(['charged_twice 10042']);
  });

  it('reports that a refund without a number failed, if one of its amount succeeded and none is open', () => {
    const failed = { attempt: 1, subReference: null, eventId: 'f', amount: '4.0', state: 'failed' };
    const attempts = [{ n: 1, amount: '10', currency: 'EUR', outcome: 'succeeded', threeDsDemand: null }];
    const ours = (state: RefundState, amount = '4') => ({ n: 1, attempt: 1, reference: 'r', state, amount, checks: 0 });
    const raisedBy = (was: object, is: object) =>
      alarmsOf(recordOf({ attempts, refunds: [was] }), recordOf({ attempts, refunds: [is], reportedRefunds: [failed] }))
        .raised;
    expect(raisedBy(ours('succeeded'), ours('succeeded'))).to.deep.equal(['refund_failed 10042']);
    expect(raisedBy(ours('succeeded', '5'), ours('succeeded', '5'))).to.deep.equal([]);
    expect(raisedBy(ours('requested'), ours('failed'))).to.deep.equal([]);
  });

  it('clears the alarm of a failed refund once a later refund that is as large or the refund itself succeeds', () => {
    const withRefunds = (...refunds: readonly (readonly [RefundState, string])[]) =>
      recordOf({
        refunds: refunds.map(([state, amount], at) => ({ n: at + 1, reference: 'r', state, amount, checks: 0 })),
      });
    const ended = ['refund_failed 10042'];
    const failed = ['failed', '5'] as const;
    expect(
      alarmsOf(withRefunds(failed, ['pending', '5.0']), withRefunds(failed, ['succeeded', '5.0'])).cleared,
    ).to.deep.equal(ended);
    expect(
      alarmsOf(withRefunds(failed, ['pending', '4']), withRefunds(failed, ['succeeded', '4'])).cleared,
    ).to.deep.equal([]);
    expect(
      alarmsOf(withRefunds(['pending', '9'], failed), withRefunds(['succeeded', '9'], failed)).cleared,
    ).to.deep.equal([]);
    expect(alarmsOf(withRefunds(failed), withRefunds(['succeeded', '5'])).cleared).to.deep.equal(ended);
  });

  it('clears the alarm of an unresolved payment or refund once it is resolved', () => {
    expect(alarmsOf(attempted('open', true), attempted('succeeded', true)).cleared).to.deep.equal([
      'payment_unresolved 10042',
    ]);
    expect(alarmsOf(attempted('open', true), attempted('open', true)).cleared).to.deep.equal([]);
    expect(alarmsOf(attempted('open', false), attempted('failed', false)).cleared).to.deep.equal([]);
    for (const state of ['succeeded', 'failed'] as const)
      expect(alarmsOf(refunded('unknown', 10), refunded(state, 11)).cleared).to.deep.equal(['refund_unresolved 10042']);
    expect(alarmsOf(refunded('unknown', 10), refunded('unknown', 11)).cleared).to.deep.equal([]);
  });
});
