/** Reasons why a payer cannot be erased yet: work in progress still needs the data. */
import type { InboxRow } from '../database/collections/inbox-row.ts';
import { status, type PaymentRecord } from '../database/collections/payment-request.ts';
import { isExpired } from '../engine/payments/record/is-expired.ts';
import { isOfPayer, type Subject } from './ownership.ts';
import type { Found } from './find.ts';

/** One sentence per reason; empty: no work is in progress. */
export function refusalsOf(
  { payments, notifications, callbacks, answers }: Found,
  subject: Subject,
  now: Date,
): readonly string[] {
  return [
    ...payments.flatMap((payment) => {
      const reason = underWay(payment, now);
      return reason === undefined ? [] : [`Payment ${payment._id} ${reason}.`];
    }),
    ...notifications.flatMap(({ _id, state }) =>
      state === 'waiting' ? [`Notification ${_id} is not delivered to the merchant yet.`] : [],
    ),
    ...callbacks.flatMap((row) =>
      isWaiting(row, subject)
        ? [`Callback ${row._id} is not applied yet: "paywright inbox show ${row._id}" shows the reason.`]
        : [],
    ),
    ...answers.flatMap(({ state, paymentRequestId }) =>
      state === 'done'
        ? []
        : [`A request about payment ${paymentRequestId ?? 'requests of a batch'} is being answered.`],
    ),
  ];
}

/** Other payers in a batch do not block the erasure. */
function isWaiting(row: InboxRow, subject: Subject): boolean {
  const { state, events } = row;
  if (state === 'done') return false;
  return events.length === 0 || events.some((one) => one.state === 'waiting' && isOfPayer(row, one, subject));
}

function underWay(payment: PaymentRecord, now: Date): string | undefined {
  const { _id, statusId, attempts, refunds, nextCheckAt, outbox, lease } = payment;
  const isPayable = statusId === status.created || (statusId === status.failed && !isExpired(payment, now));
  if (isPayable) return `can still be paid: run "paywright payments cancel ${_id}", or wait until it expires`;
  if (statusId === status.pending || attempts.some(({ outcome, endedAt }) => outcome === 'open' || endedAt === null))
    return 'is pending: wait for its outcome, or use "paywright payments reconcile" or "cancel"';
  if (refunds.some(({ state }) => state !== 'succeeded' && state !== 'failed'))
    return 'has a refund whose outcome is not known yet';
  if (nextCheckAt !== null || lease.token !== null)
    return `is still checked${nextCheckAt ? `, next at ${nextCheckAt.toISOString()}` : ''}`;
  return outbox.length > 0 ? 'has notifications that are not queued for delivery yet' : undefined;
}
