import type { Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';

/** The next refund of the payment. `sentAt` null: a worker sends it. */
export function newRefund(
  { refunds, reportedRefunds }: PaymentRecord,
  attempt: Attempt,
  { amount, at, sentAt }: { readonly amount: string; readonly at: Date; readonly sentAt: Date | null },
): Refund {
  const ofAttempt = refunds.filter((one) => one.attempt === attempt.n).length;
  return {
    n: refunds.length + 1,
    attempt: attempt.n,
    reference: `${attempt.reference}-R${ofAttempt + 1}`,
    amount,
    state: 'requested',
    answeredSucceeded: false,
    providerReference: null,
    requestedAt: at,
    sentAt,
    reportedBefore: reportedRefunds.flatMap((report) =>
      report.attempt === attempt.n && report.subReference !== null ? [report.subReference] : [],
    ),
    notShownAt: null,
    checks: 0,
    lastCheckedAt: null,
  };
}
