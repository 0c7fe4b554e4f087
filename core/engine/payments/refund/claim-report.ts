import { compareDecimals } from '@paywright/contract';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { ReportedRefund } from '../../../database/collections/refund.ts';

/**
 * Ends a refund that got no answer by what the provider reports about refunds: the first numbered report of its amount
 * that did not exist before the request and belongs to no other refund of ours.
 */
export function claimReport(record: PaymentRecord, n: number): PaymentRecord {
  const refund = record.refunds[n - 1]!;
  if (refund.providerReference !== null || refund.state === 'succeeded' || refund.state === 'failed') return record;
  const report = claimable(record, n).find(({ subReference, state }) => subReference !== null && state !== 'pending');
  if (!report) return record;
  const reported = record.reportedRefunds
    .filter(({ attempt, subReference }) => attempt === refund.attempt && subReference === report.subReference)
    .map((one) => one.state);
  const isGiven = reported.includes('succeeded') || reported.includes('reversed');
  const state = isGiven ? 'succeeded' : reported.includes('failed') ? 'failed' : 'needs_merchant';
  const ended = { ...refund, providerReference: report.subReference, state } as const;
  return { ...record, refunds: record.refunds.map((one) => (one.n === n ? ended : one)) };
}

/** True if the provider has a refund that may be this one and has not decided it yet. */
export function isReportedPending(record: PaymentRecord, n: number): boolean {
  return claimable(record, n).some(({ state }) => state === 'pending' || state === 'needs_merchant');
}

/** The reports that may be about this refund. */
function claimable(record: PaymentRecord, n: number): readonly ReportedRefund[] {
  const refund = record.refunds[n - 1]!;
  const taken = new Set([
    ...refund.reportedBefore,
    ...record.refunds.map(({ providerReference }) => providerReference),
  ]);
  return record.reportedRefunds.filter(
    ({ attempt, subReference, amount }) =>
      attempt === refund.attempt &&
      (subReference === null || !taken.has(subReference)) &&
      compareDecimals(amount, refund.amount) === 0,
  );
}
