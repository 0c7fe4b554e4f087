import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { RefundState } from '../../../database/collections/refund.ts';
import { createPaymentAlarms } from './raise-alarms.ts';

const recordOf = (members: object): PaymentRecord =>
  ({ _id: 10_042, logs: [], attempts: [], refunds: [], ...members }) as unknown as PaymentRecord;
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

  it('reports once that money which was reported as collected does not arrive', () => {
    const paid = (captureFailedAt: Date | null) =>
      recordOf({ attempts: [{ n: 1, adapter: 'adyen', outcome: 'succeeded', captureFailedAt, threeDsDemand: null }] });
    const failed = paid(new Date(0));
    expect(alarmsOf(paid(null), failed).raised).to.deep.equal(['capture_failed 10042']);
    expect([alarmsOf(failed, failed).raised, alarmsOf(undefined, paid(null)).raised]).to.deep.equal([[], []]);
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
