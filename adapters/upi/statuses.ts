/** The meaning of the switch's statuses. */
import { statusTable, type DeclineCode } from '@paywright/contract';

/** Decline codes by `why` of a failed payment, and by the code of a 422. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  PIN_WRONG: 'U30',
  RISK: 'U16',
  DEVICE_UNBOUND: 'U66',
  PAYER_DECLINED: 'U69',
  NO_BALANCE: '51',
  NOT_ALLOWED: '57',
  LIMIT: '61',
  VPA_UNKNOWN: '05',
  BANK_DOWN: '05',
  RETURNED: '05',
};

/** The `state` of a transaction. */
export const statuses = {
  payment: {
    PENDING: 'pending',
    // The payer's bank has paid, but the payee's bank has not answered. It ends within a day, either way.
    DEEMED: 'pending',
    COMPLETED: 'succeeded',
    FAILED: 'failed',
    EXPIRED: 'expired',
    CANCELLED: 'cancelled',
  },
  refund: { REFUND_PENDING: 'pending', REFUND_DONE: 'succeeded', REFUND_FAILED: 'failed', REFUND_REVERSED: 'reversed' },
  chargeback: { DISPUTED: 'opened', DISPUTE_WON: 'won', DISPUTE_LOST: 'lost', DISPUTE_REVERSED: 'reversed' },
} as const;

/** A payment that completed after the payer's time had expired is late. */
export const mapStatus = statusTable(statuses, (status, { kind, facts }) =>
  status === 'succeeded' && kind === 'payment' && facts?.['late'] === true ? 'late' : status,
);
