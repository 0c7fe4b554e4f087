/** The meaning of F's statuses. */
import type { DeclineCode } from '@paywright/contract';

/** `why` of a deal that was dropped. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  wallet_refused: '05',
  balance_low: '51',
  wallet_expired: '54',
  wallet_blocked: '57',
  limit_reached: '61',
};

/** `phase` of a payment, the refunded amount, `claim` of a dispute, and the only status of a ping. */
export const statuses = {
  payment: {
    settled: 'succeeded',
    open: 'pending',
    held: 'authorised',
    dropped: 'failed',
    left: 'cancelled',
    lapsed: 'expired',
  },
  refund: { returned: 'succeeded' },
  chargeback: { open: 'opened', won: 'won', lost: 'lost', reversed: 'reversed' },
  ping: { ping: 'pending' },
} as const;
