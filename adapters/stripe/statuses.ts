/** The meaning of Stripe's statuses and decline codes. */
import { declineOf, statusTable, type DeclineCode } from '@paywright/contract';
import type { Failure } from './wire.ts';

/**
 * Statuses of PaymentIntents, refunds and disputes. A suffix after a colon distinguishes two meanings of one status.
 */
export const statuses = {
  payment: {
    requires_payment_method: 'pending',
    'requires_payment_method:declined': 'failed',
    requires_confirmation: 'pending',
    requires_action: 'pending',
    processing: 'pending',
    requires_capture: 'authorised',
    canceled: 'cancelled',
    // Captured in part in Stripe's Dashboard: the rest is still reserved, or was released.
    'requires_capture:captured': 'succeeded',
    'canceled:captured': 'succeeded',
    'canceled:abandoned': 'expired',
    'canceled:automatic': 'expired',
    'canceled:expired': 'expired',
    succeeded: 'succeeded',
    'session:expired': 'expired',
  },
  refund: {
    pending: 'pending',
    requires_action: 'pending',
    succeeded: 'succeeded',
    failed: 'failed',
    // The refund failed later, and its money is back in our balance.
    'failed:returned': 'reversed',
    canceled: 'failed',
  },
  chargeback: {
    needs_response: 'opened',
    under_review: 'opened',
    won: 'won',
    lost: 'lost',
    // An appeal follows a case that was lost. It is about the same money, which is not back.
    appeal_needs_response: 'opened',
    appeal_under_review: 'opened',
    // An inquiry that ended without a dispute.
    warning_closed: 'won',
    // Stopped before any money was taken, or resolved by giving the payer the money: see dispute.ts.
    prevented: 'reversed',
    'prevented:refunded': 'lost',
  },
} as const;

export const mapStatus = statusTable(statuses);

/** An inquiry of the bank: no money is withdrawn, and a refund may still end it. Such statuses are ignored. */
export const inquiries: ReadonlySet<string> = new Set(['warning_needs_response', 'warning_under_review']);

/** Keyed by `decline_code`, or by the `code` of a card error without one. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  authentication_required: '57',
  authentication_not_handled: '57',
  approve_with_id: '05',
  call_issuer: '05',
  card_not_supported: '57',
  card_velocity_exceeded: '61',
  currency_not_supported: '57',
  do_not_honor: '05',
  do_not_try_again: '05',
  duplicate_transaction: '05',
  expired_card: '54',
  fraudulent: '05',
  generic_decline: '05',
  incorrect_address: '05',
  incorrect_cvc: '05',
  incorrect_number: '05',
  incorrect_pin: '05',
  incorrect_zip: '05',
  insufficient_funds: '51',
  invalid_account: '57',
  invalid_amount: '61',
  invalid_cvc: '05',
  invalid_expiry_month: '54',
  invalid_expiry_year: '54',
  invalid_number: '05',
  invalid_pin: '05',
  issuer_not_available: '05',
  lost_card: '05',
  merchant_blacklist: '05',
  mobile_device_authentication_required: '57',
  new_account_information_available: '54',
  no_action_taken: '05',
  not_permitted: '57',
  offline_pin_required: '57',
  online_or_offline_pin_required: '57',
  pickup_card: '05',
  pin_try_exceeded: '05',
  processing_error: '05',
  reenter_transaction: '05',
  restricted_card: '57',
  revocation_of_all_authorizations: '57',
  revocation_of_authorization: '57',
  security_violation: '57',
  service_not_allowed: '57',
  stolen_card: '05',
  stop_payment_order: '57',
  testmode_decline: '57',
  transaction_not_allowed: '57',
  try_again_later: '05',
  withdrawal_count_limit_exceeded: '61',
  // Codes of card errors that have no decline code.
  card_declined: '05',
  card_decline_rate_limit_exceeded: '61',
  incorrect_postal_code: '05',
  invalid_card_type: '57',
  invalid_characters: '05',
  payment_intent_authentication_failure: '05',
  payment_intent_payment_attempt_expired: '05',
  payment_intent_payment_attempt_failed: '05',
  payment_method_customer_decline: '05',
  payment_method_provider_decline: '05',
  payment_method_provider_timeout: '05',
};

/** How a payment was refused: the reason, and a failed 3D Secure step. */
export function refusalOf({ code, decline_code, message }: Failure) {
  const step = code === 'payment_intent_authentication_failure' ? { threeDsResult: 'N' } : {};
  return { ...declineOf(declines, decline_code ?? code, message), ...step };
}
