import { compareDecimals } from '@gateway/contract';
import type { PaymentRecord } from '../../documents/payment-request.ts';

/**
 * Ends a refund whose answer never came by what the provider reports of refunds: the first numbered report of its amount
 * that was not there before it was requested, and is of no other refund of ours.
 */
export function claimReport(record: PaymentRecord, n: number): PaymentRecord {
  const refund = record.refunds[n - 1]!;
  if (refund.providerReference !== null || refund.state === 'succeeded' || refund.state === 'failed') return record;
  const taken = new Set([
    ...refund.reportedBefore,
    ...record.refunds.map(({ providerReference }) => providerReference),
  ]);
  const report = record.reportedRefunds.find(
    ({ attempt, subReference, amount, state }) =>
      attempt === refund.attempt &&
      subReference !== null &&
      !taken.has(subReference) &&
      state !== 'pending' &&
      compareDecimals(amount, refund.amount) === 0,
  );
  if (!report) return record;
  const state = report.state === 'failed' ? 'failed' : 'succeeded';
  const ended = { ...refund, providerReference: report.subReference, state } as const;
  return { ...record, refunds: record.refunds.map((one) => (one.n === n ? ended : one)) };
}
