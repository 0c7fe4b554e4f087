/** The meaning of Mollie's statuses and failure reasons. */
import { statusTable, type DeclineCode } from '@paywright/contract';

/** `details.failureReason` of a failed card payment. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  insufficient_funds: '51',
  card_expired: '54',
  authentication_required: '57',
  inactive_card: '57',
  invalid_card_type: '57',
  authentication_abandoned: '05',
  authentication_failed: '05',
  authentication_unavailable_acs: '05',
  card_declined: '05',
  invalid_card_holder_name: '05',
  invalid_card_number: '05',
  invalid_cvv: '05',
  possible_fraud: '05',
  refused_by_issuer: '05',
  unknown_reason: '05',
};

/** `status` of a payment and of a refund. For a chargeback, `reversedAt` decides. */
export const statuses = {
  payment: {
    open: 'pending',
    pending: 'pending',
    authorized: 'authorised',
    paid: 'succeeded',
    failed: 'failed',
    canceled: 'cancelled',
    expired: 'expired',
  },
  refund: {
    queued: 'pending',
    pending: 'pending',
    processing: 'pending',
    refunded: 'succeeded',
    // Mollie had taken the money from our balance, perhaps after it reported the refund as done, and returns it.
    failed: 'reversed',
    canceled: 'failed',
  },
  chargeback: { received: 'opened', reversed: 'reversed' },
} as const;

/**
 * A callback only says which payment changed. Reserved money of which a part was captured is charged: core counts the
 * captured sum.
 */
export const mapStatus = statusTable(
  { callback: { ping: { ping: 'pending' } }, fetch: statuses },
  (status, { capturedAmount }) => (status === 'authorised' && capturedAmount !== undefined ? 'succeeded' : status),
);

/** `status` of a capture. */
export const captureStatuses = { pending: 'pending', succeeded: 'succeeded', failed: 'failed' } as const;
