/** The meaning of PayPal's statuses, and of its reasons for a refusal. */
import { statusTable, type DeclineCode, type EventStatuses } from '@paywright/contract';

/** Each status follows the kind of its object: an order, an authorisation or a capture. */
const payment = {
  'order:CREATED': 'pending',
  'order:SAVED': 'pending',
  'order:PAYER_ACTION_REQUIRED': 'pending',
  'order:APPROVED': 'pending',
  // The authorisation or the capture of the order says what happened to the money.
  'order:COMPLETED': 'pending',
  'order:VOIDED': 'cancelled',
  'authorization:PENDING': 'pending',
  'authorization:CREATED': 'authorised',
  'authorization:CAPTURED': 'pending',
  'authorization:PARTIALLY_CAPTURED': 'pending',
  'authorization:DENIED': 'failed',
  'authorization:VOIDED': 'cancelled',
  'authorization:EXPIRED': 'expired',
  'capture:PENDING': 'pending',
  'capture:COMPLETED': 'succeeded',
  'capture:PARTIALLY_REFUNDED': 'succeeded',
  'capture:REFUNDED': 'succeeded',
  'capture:DECLINED': 'failed',
  'capture:DENIED': 'failed',
  'capture:FAILED': 'failed',
} as const satisfies Readonly<Record<string, EventStatuses['payment']>>;

export const refundStatuses = {
  PENDING: 'pending',
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  CANCELLED: 'failed',
} as const;

/**
 * `status` of a dispute; after `RESOLVED`, its outcome too. `REVERSED` is money of a capture that PayPal took back. A
 * dispute that is resolved without an outcome stays open: PayPal does not say who has the money.
 */
const chargeback = {
  OPEN: 'opened',
  WAITING_FOR_BUYER_RESPONSE: 'opened',
  WAITING_FOR_SELLER_RESPONSE: 'opened',
  UNDER_REVIEW: 'opened',
  OTHER: 'opened',
  'RESOLVED:NONE': 'opened',
  'RESOLVED:RESOLVED_BUYER_FAVOUR': 'lost',
  'RESOLVED:ACCEPTED': 'lost',
  'RESOLVED:RESOLVED_SELLER_FAVOUR': 'won',
  'RESOLVED:RESOLVED_WITH_PAYOUT': 'won',
  'RESOLVED:DENIED': 'won',
  'RESOLVED:CANCELED_BY_BUYER': 'reversed',
  REVERSED: 'lost',
} as const;

export const callbackStatuses = {
  payment: { ...payment, 'order:APPROVAL_REVERSED': 'cancelled' },
  refund: refundStatuses,
  chargeback,
} as const;

/** `order:GONE`: PayPal deletes an order that the payer did not approve in time. */
export const fetchStatuses = {
  payment: { ...payment, 'order:GONE': 'expired' },
  refund: refundStatuses,
  chargeback,
} as const;

export const mapStatus = statusTable({ callback: callbackStatuses, fetch: fetchStatuses });

/** Keyed by the `issue` of a refusal, and by the processor's response code of a declined capture. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  INSTRUMENT_DECLINED: '05',
  PAYMENT_SOURCE_DECLINED_BY_PROCESSOR: '05',
  REDIRECT_PAYER_FOR_ALTERNATE_FUNDING: '05',
  TRANSACTION_REFUSED: '05',
  CARD_EXPIRED: '54',
  REFERENCED_CARD_EXPIRED: '54',
  AGREEMENT_ALREADY_CANCELLED: '57',
  COMPLIANCE_VIOLATION: '57',
  DECLINED_DUE_TO_RELATED_TXN: '05',
  DOMESTIC_TRANSACTION_REQUIRED: '57',
  PAYEE_BLOCKED_TRANSACTION: '57',
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: '57',
  PAYER_ACCOUNT_RESTRICTED: '57',
  PAYER_CANNOT_PAY: '57',
  PAYMENT_SOURCE_CANNOT_BE_USED: '57',
  PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED: '57',
  TRANSACTION_BLOCKED_BY_PAYEE: '57',
  MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED: '61',
  TRANSACTION_LIMIT_EXCEEDED: '61',
  TRANSACTION_RECEIVING_LIMIT_EXCEEDED: '61',
  // Response codes of processors.
  '0500': '05',
  '1330': '57',
  '5100': '05',
  '5120': '51',
  '5180': '05',
  '5400': '54',
  '5930': '57',
  '9500': '05',
  '9520': '05',
  PPAX: '61',
  PPEX: '54',
};
