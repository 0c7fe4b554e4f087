/** The status of a payment request as a pure function of its facts. */
import { addDecimals, compareDecimals, subtractDecimals, trimDecimal } from '@paywright/contract';
import { arrivedAmount, attemptOf, chargedAmount } from '../../../database/collections/attempt.ts';
import { status, type Facts, type StatusId } from '../../../database/collections/payment-request.ts';
import type { ReportedRefund } from '../../../database/collections/refund.ts';
import { disputesOf, largerOf } from './disputes.ts';
import { isPaymentId } from './provider-references.ts';
import { settledReports } from './refund-reports.ts';

export interface Derived {
  readonly statusId: StatusId;
  /** The sum of what the payer paid; null: nothing yet. */
  readonly paidAmount: string | null;
  readonly paidCurrency: string | null;
  /** The part of the paid amount that was refunded so far. */
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
  // A payment of 0 is paid, not refunded, until a refund is reported: an empty sum of refunds is not "in full".
  const arrived = addDecimals(...paid.map(arrivedAmount));
  const inFull = compareDecimals(refundedAmount, '0') > 0 && compareDecimals(refundedAmount, arrived) >= 0;
  return {
    statusId: inFull ? status.refunded : status.paid,
    paidAmount,
    paidCurrency: paid[0]!.currency,
    refundedAmount,
    chargedBack: paid.some((attempt) => disputesOf(facts, attempt).some(({ isCounted }) => isCounted)),
  };
}

/**
 * Without a success: an open attempt makes the payment pending; a cancellation outranks failures; of failed and
 * expired, failed wins.
 */
function unpaid({ attempts, cancelledAt, expiredAt }: Facts): StatusId {
  if (attempts.some(({ outcome }) => outcome === 'open')) return status.pending;
  if (cancelledAt) return status.expired;
  if (attempts.some(({ outcome }) => outcome === 'failed')) return status.failed;
  return attempts.length || expiredAt ? status.expired : status.created;
}

/**
 * The refunded sum of one attempt, the same in every order of arrival (providers' README, "refunded sum"):
 * - Numbered refunds count once each.
 * - Refunds without number count, per amount, the larger of their succeeded events and our own refunds answered
 *   succeeded.
 * - The result is the larger of all that and the largest running total, minus what was reversed.
 */
export function refundedSum(facts: Facts, n: number): string {
  const { attempts, refunds, refundTotals } = facts;
  const reported = settledReports(facts, n);
  const succeeded = reported.filter(({ state }) => state === 'succeeded');
  const reversed = reported.filter(({ state }) => state === 'reversed');
  const attempt = attemptOf({ attempts }, n);
  // Some providers do not number refunds, and answer with the payment's reference.
  const ours = refunds
    .filter(({ attempt, answeredSucceeded }) => attempt === n && answeredSucceeded)
    .map(({ providerReference: id, amount }) => {
      return { subReference: id === null || (attempt && isPaymentId(attempt, id)) ? null : id, amount };
    });
  // The last entry of a number counts. A reversed refund had succeeded, and the other lists know its amount better.
  const numbered = new Map(
    [...reversed, ...ours, ...succeeded].flatMap(({ subReference, amount }) =>
      subReference === null ? [] : [[subReference, amount] as const],
    ),
  );
  const unnumbered = countByAmount([withoutNumber(succeeded), withoutNumber(ours)]);
  const counted = addDecimals(...numbered.values(), ...unnumbered);
  const total = refundTotals.find(({ attempt }) => attempt === n)?.amount ?? '0';
  // "All of it" may have been reported before it was known that only a part was captured.
  const all = attempt ? largerOf(chargedAmount(attempt), attempt.received)! : total;
  const running = compareDecimals(total, all) > 0 ? all : total;
  const largest = compareDecimals(counted, running) >= 0 ? counted : running;
  return subtractDecimals(largest, addDecimals(...reversed.map(({ amount }) => amount)));
}

type Given = Pick<ReportedRefund, 'subReference' | 'amount'>;

function withoutNumber(given: readonly Given[]): string[] {
  return given.filter(({ subReference }) => subReference === null).map(({ amount }) => trimDecimal(amount));
}

/** Each amount as often as in the list that has it most often. */
function countByAmount(lists: readonly (readonly string[])[]): string[] {
  const amounts = new Set(lists.flat());
  return [...amounts].flatMap((amount) => {
    const times = Math.max(...lists.map((list) => list.filter((other) => other === amount).length));
    return Array.from({ length: times }, () => amount);
  });
}
