/** The status of a payment request as a pure function of its facts. */
import { addDecimals, compareDecimals, subtractDecimals, trimDecimal } from '@paywright/contract';
import { attemptOf, chargedAmount } from '../../../database/collections/attempt.ts';
import { status, type Facts, type StatusId } from '../../../database/collections/payment-request.ts';
import type { ReportedRefund } from '../../../database/collections/refund.ts';
import { disputesOf } from './disputes.ts';

export interface Derived {
  readonly statusId: StatusId;
  /** What the payer paid in all; null: nothing yet. */
  readonly paidAmount: string | null;
  readonly paidCurrency: string | null;
  /** Given back so far, of what was paid. */
  readonly refundedAmount: string;
  readonly chargedBack: boolean;
}

export function derive(facts: Facts): Derived {
  const paid = facts.attempts.filter(({ outcome }) => outcome === 'succeeded');
  if (!paid.length) {
    return { statusId: unpaid(facts), paidAmount: null, paidCurrency: null, refundedAmount: '0', chargedBack: false };
  }
  const paidAmount = addDecimals(...paid.map(chargedAmount));
  const refundedAmount = addDecimals(...paid.map(({ n }) => refundedSum(facts, n)));
  // An amount of 0 is paid, not refunded, until somebody refunds: nothing given back is not "in full".
  const inFull = compareDecimals(refundedAmount, '0') > 0 && compareDecimals(refundedAmount, paidAmount) >= 0;
  return {
    statusId: inFull ? status.refunded : status.paid,
    paidAmount,
    paidCurrency: paid[0]!.currency,
    refundedAmount,
    chargedBack: paid.some((attempt) => disputesOf(facts, attempt).some(({ isCounted }) => isCounted)),
  };
}

/** Without a success: an open attempt makes it pending; a cancel outranks failures; between failed and expired, failed wins. */
function unpaid({ attempts, cancelledAt, expiredAt }: Facts): StatusId {
  if (attempts.some(({ outcome }) => outcome === 'open')) return status.pending;
  if (cancelledAt) return status.expired;
  if (attempts.some(({ outcome }) => outcome === 'failed')) return status.failed;
  return attempts.length || expiredAt ? status.expired : status.created;
}

/**
 * What was given back of one attempt, the same in every order of arrival (providers' README, "refunded sum"): numbered
 * refunds count once each; those without number count, per amount, the larger of their succeeded events and our own
 * refunds answered succeeded; the larger of all that and the largest running total, less what was reversed.
 */
export function refundedSum({ attempts, refunds, reportedRefunds, refundTotals }: Facts, n: number): string {
  const reported = reportedRefunds.filter(({ attempt }) => attempt === n);
  const succeeded = reported.filter(({ state }) => state === 'succeeded');
  const reversed = reported.filter(({ state }) => state === 'reversed');
  const payment = attemptOf({ attempts }, n)?.providerReference ?? null;
  // Some providers have no number for a refund, and answer with the payment's.
  const ours = refunds
    .filter(({ attempt, answeredSucceeded }) => attempt === n && answeredSucceeded)
    .map(({ providerReference, amount }) => {
      return { subReference: providerReference === payment ? null : providerReference, amount };
    });
  // The last one of a number counts: what was reversed had succeeded, with an amount that others know better.
  const numbered = new Map(
    [...reversed, ...ours, ...succeeded].flatMap(({ subReference, amount }) =>
      subReference === null ? [] : [[subReference, amount] as const],
    ),
  );
  const unnumbered = countByAmount([withoutNumber(succeeded), withoutNumber(ours)]);
  const counted = addDecimals(...numbered.values(), ...unnumbered);
  const running = refundTotals.find(({ attempt }) => attempt === n)?.amount ?? '0';
  const largest = compareDecimals(counted, running) >= 0 ? counted : running;
  return subtractDecimals(largest, addDecimals(...reversed.map(({ amount }) => amount)));
}

type Given = Pick<ReportedRefund, 'subReference' | 'amount'>;

function withoutNumber(given: readonly Given[]): string[] {
  return given.filter(({ subReference }) => subReference === null).map(({ amount }) => trimDecimal(amount));
}

/** Per amount, as many times as in that of the lists that has it most often. */
function countByAmount(lists: readonly (readonly string[])[]): string[] {
  const amounts = new Set(lists.flat());
  return [...amounts].flatMap((amount) => {
    const times = Math.max(...lists.map((list) => list.filter((other) => other === amount).length));
    return Array.from({ length: times }, () => amount);
  });
}
