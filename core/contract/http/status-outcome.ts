/** The outcome of a call whose answer shows the payment, or the refund, in statuses that `mapStatus` knows. */
import type { EventStatus } from '../statuses/event-statuses.ts';
import type { Action, Decline, Outcome } from '../outcome.ts';

/** What the answer shows. */
interface Shown {
  /** The provider's reference of the payment; of a refund, its reference of the refund. */
  readonly providerReference: string;
  /** The provider's own status, which is counted where its table lacks it. */
  readonly providerStatus: string;
}

interface ShownPayment extends Shown {
  /** What the payer must do, while the payment is open. */
  readonly action?: Action | undefined;
  /** Where an open payment needs an action: why it is unknown without one. */
  readonly noAction?: string | undefined;
  /** Why it failed, where it did. */
  readonly decline: Decline;
}

const paid: ReadonlySet<EventStatus> = new Set(['succeeded', 'overpaid', 'late']);
const open: ReadonlySet<EventStatus> = new Set(['pending', 'underpaid']);
const ended: ReadonlySet<EventStatus> = new Set(['expired', 'cancelled']);

/**
 * What a payment's status comes to. Money that came late, or too much of it, is money; a status that the table lacks
 * leaves the payment pending.
 */
export function toPaymentOutcome(
  status: EventStatus,
  { providerReference, providerStatus, action, noAction, decline }: ShownPayment,
): Outcome {
  if (paid.has(status)) return { outcome: 'succeeded', providerReference };
  if (status === 'authorised') return { outcome: 'pending', providerReference, authorised: true };
  if (open.has(status) && !action && noAction) return { outcome: 'unknown', providerReference, reason: noAction };
  if (open.has(status)) return { outcome: 'pending', providerReference, ...(action ? { action } : {}) };
  if (status === 'failed') return { outcome: 'failed', providerReference, ...decline };
  if (ended.has(status)) return { outcome: 'failed', providerReference, decline: '05' };
  return { outcome: 'pending', providerReference, unknownStatus: providerStatus };
}

interface ShownRefund extends Shown {
  /** Why nothing is given back, where it failed or was taken back: for people. */
  readonly reason?: string;
}

/** What a refund's status comes to: one that failed, or was taken back, gave nothing back. */
export function toRefundOutcome(
  status: EventStatus,
  { providerReference, providerStatus, reason }: ShownRefund,
): Outcome {
  if (status === 'pending' || status === 'succeeded') return { outcome: status, providerReference };
  if (status === 'failed' || status === 'reversed') {
    return { outcome: 'failed', nothingCharged: true, providerReference, ...(reason ? { reason } : {}) };
  }
  return { outcome: 'pending', providerReference, unknownStatus: providerStatus };
}
