/** What happened to a payment, for people: the page of the merchant and the page of the operator tell the same. */
import { compareDecimals, isAboveZero } from '@paywright/contract';
import { html } from '@remix-run/html-template';
import { arrivalOf, statusLabels, type AttemptDetails, type PaymentDetails } from '../engine/payments/index.ts';
import { badge, maskedText, money, toSentence, type TimelineEntry } from '../html/components/parts.ts';

type Told = Pick<
  PaymentDetails,
  'status' | 'amount' | 'currency' | 'createdAt' | 'attempts' | 'refunds' | 'disputes' | 'timeline'
>;

/** The facts of the payment in their order. `wayOf` names how an attempt pays, such as `Visa`. */
export function paymentStory(payment: Told, wayOf: (attempt: AttemptDetails) => string): readonly TimelineEntry[] {
  const { createdAt, attempts } = payment;
  const entries: readonly TimelineEntry[] = [
    { at: createdAt, title: 'Created' },
    ...attempts.flatMap((attempt) => attemptEntries(attempt, wayOf)),
    ...refundEntries(payment),
    ...reportEntries(payment),
  ];
  return inOrder(entries);
}

export function inOrder(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  return entries.toSorted((one, other) => (one.at?.getTime() ?? 0) - (other.at?.getTime() ?? 0));
}

function attemptEntries(attempt: AttemptDetails, wayOf: (attempt: AttemptDetails) => string): TimelineEntry[] {
  const { openedAt, settledAt, outcome, amount, captured, currency } = attempt;
  if (settledAt !== null && outcome === 'succeeded') {
    const title = html`${money(captured ?? amount, currency)} paid by ${wayOf(attempt)}`;
    return [{ at: settledAt, title, look: 'good' }];
  }
  if (attempt.isAuthorised)
    return [{ at: openedAt, title: html`${money(amount, currency)} reserved by ${wayOf(attempt)}` }];
  const begun: TimelineEntry = { at: openedAt, title: `The payer tried to pay by ${wayOf(attempt)}` };
  if (settledAt === null) return [begun];
  return [begun, { at: settledAt, title: 'Not paid', text: attempt.failure, look: 'bad' }];
}

function refundEntries({ refunds }: Told): TimelineEntry[] {
  return refunds.map((refund): TimelineEntry => {
    const isBad = refund.state === 'failed' || refund.state === 'reversed';
    return {
      at: refund.doneAt ?? refund.requestedAt,
      title: html`Refund of ${money(refund.amount, refund.currency)}: ${badge(refund.state)}`,
      text: refund.failureReason === null ? null : maskedText(refund.failureReason),
      look: isBad ? 'bad' : 'calm',
    };
  });
}

/** Reports about coins and disputes, and the end of an unpaid payment. */
function reportEntries({ status, amount, currency, disputes, timeline }: Told): TimelineEntry[] {
  return timeline.flatMap((item): TimelineEntry[] => {
    const { at, kind, refused, transactionId, message, received, to } = item;
    if (kind === 'transition' && statusLabels[Number(to)] === 'expired')
      return [{ at, title: status === 'cancelled' ? 'Cancelled' : 'Expired' }];
    if (kind !== 'event' || refused === true) return [];
    if (typeof received === 'string' && isAboveZero(received) && compareDecimals(received, amount) < 0)
      return [{ at, title: html`${money(received, currency)} of ${money(amount, currency)} arrived`, look: 'warn' }];
    // The provider's reports about a case carry its number. Its own word is in parentheses at the end.
    if (typeof message !== 'string' || !disputes.some((one) => one.case === transactionId)) return [];
    const look = /won|reversed/.test(message) ? 'good' : 'bad';
    const title = toSentence(message.replace(/ \([^()]*\)$/, '')).slice(0, -1);
    return [{ at: arrivalOf(item, timeline), title, look }];
  });
}
