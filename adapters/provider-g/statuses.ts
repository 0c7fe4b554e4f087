/** The meaning of G's statuses, in callbacks and status answers. */
import type { DeclineCode, EventKind } from '@paywright/contract';

export const statuses = {
  payment: {
    PAID: 'succeeded',
    UNPAID: 'failed',
    AUTHED: 'authorised',
    WAITING: 'pending',
    CHALLENGE: 'pending',
    CLOSED: 'cancelled',
    LAPSED: 'expired',
  },
  refund: { REFUND_WAIT: 'pending', REFUND_OK: 'succeeded', REFUND_BAD: 'failed', REFUND_BACK: 'reversed' },
  chargeback: { DISPUTED: 'opened', DISPUTE_LOST: 'lost', DISPUTE_WON: 'won', DISPUTE_BACK: 'reversed' },
} as const;

/** The subject of a status. A status that no table has counts as the payment's. */
export function kindOf(status: string): EventKind {
  if (Object.hasOwn(statuses.refund, status)) return 'refund';
  return Object.hasOwn(statuses.chargeback, status) ? 'chargeback' : 'payment';
}

/** Keyed by `why` of a charge that is UNPAID. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  DO_NOT_HONOR: '05',
  NO_FUNDS: '51',
  EXPIRED: '54',
  FORBIDDEN: '57',
  OVER_LIMIT: '61',
  SECURE_FAILED: '05',
};
