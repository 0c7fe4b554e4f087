/** The outcome of a call whose answer shows the payment or the refund in statuses that `mapStatus` knows. */
import type { EventStatus } from '../statuses/event-statuses.ts';
import type { Action, Decline, Outcome } from '../outcome.ts';
import { defined } from './defined.ts';

/** The facts that the answer shows. */
interface Shown {
  /** The provider's reference of the payment, or of the refund; undefined or absent if the answer names none. */
  readonly providerReference?: string | undefined;
  /** The provider's own status, which is counted if the table lacks it. */
  readonly providerStatus: string;
}

interface ShownPayment extends Shown {
  /** What the payer must do while the payment is open. */
  readonly action?: Action | undefined;
  /** The reason for `unknown` if an open payment needs an action and the answer has none. */
  readonly noAction?: string | undefined;
  /** The decline, for a payment that failed. */
  readonly decline: Decline;
}

const paid: ReadonlySet<EventStatus> = new Set(['succeeded', 'overpaid', 'late']);
const open: ReadonlySet<EventStatus> = new Set(['pending', 'underpaid']);
const ended: ReadonlySet<EventStatus> = new Set(['expired', 'cancelled']);

/**
 * The outcome of a payment's status. Money that came late, or too much money, counts as money. A status that the table
 * lacks leaves the payment pending.
 */
export function toPaymentOutcome(
  status: EventStatus,
  { providerReference, providerStatus, action, noAction, decline }: ShownPayment,
): Outcome {
  const named = defined({ providerReference });
  if (paid.has(status)) return { outcome: 'succeeded', ...named };
  if (status === 'authorised') return { outcome: 'pending', ...named, authorised: true };
  if (open.has(status) && !action && noAction) return { outcome: 'unknown', ...named, reason: noAction };
  if (open.has(status)) return { outcome: 'pending', ...named, ...(action ? { action } : {}) };
  if (status === 'failed') return { outcome: 'failed', ...named, ...decline };
  if (ended.has(status)) return { outcome: 'failed', ...named, decline: '05' };
  return { outcome: 'pending', ...named, unknownStatus: providerStatus };
}

interface ShownRefund extends Shown {
  /** Why nothing is given back, if the refund failed, was taken back or needs the merchant; for people. */
  readonly reason?: string;
}

/**
 * The outcome of a refund's status. A refund that failed or was taken back gave nothing back. A refund that needs the
 * merchant stays pending.
 */
export function toRefundOutcome(
  status: EventStatus,
  { providerReference, providerStatus, reason }: ShownRefund,
): Outcome {
  const named = defined({ providerReference });
  if (status === 'pending' || status === 'succeeded') return { outcome: status, ...named };
  const because = reason ? { reason } : {};
  if (status === 'needs_merchant') return { outcome: 'pending', needsMerchant: true, ...named, ...because };
  if (status === 'failed' || status === 'reversed')
    return { outcome: 'failed', nothingCharged: true, ...named, ...because };
  return { outcome: 'pending', ...named, unknownStatus: providerStatus };
}
