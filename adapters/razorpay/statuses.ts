/** The meaning of Razorpay's statuses and error reasons. */
import { statusTable, type DeclineCode } from '@paywright/contract';

/** `reason` of errors and `error_reason` of failed payments, grouped by decline code. */
const reasons = {
  '51': 'insufficient_funds credit_limit_exceeded funds_blocked_by_mandate',
  '54': 'card_expired incorrect_card_expiry_date credit_limit_expired',
  '57':
    'international_transaction_not_allowed card_not_enrolled card_disabled_for_online_payments card_network_not_enabled ' +
    'card_type_invalid debit_instrument_inactive debit_instrument_blocked bank_not_enabled payment_method_not_enabled ' +
    'upi_collect_not_enabled upi_intent_not_enabled collect_on_mcc_blocked credit_not_permitted credit_limit_inactive ' +
    'credit_limit_not_approved transaction_on_vpa_restricted user_not_eligible user_not_registered_for_netbanking ' +
    'recurring_payment_not_enabled upi_autopay_not_supported_on_psp compliance_violation emi_plan_unavailable',
  '61':
    'transaction_limit_exceeded transaction_daily_limit_exceeded transaction_daily_count_exceeded ' +
    'transaction_frequency_limit_exceeded mcc_amount_limit_exceeded emi_greater_than_max_amount',
  U30: 'incorrect_pin incorrect_atm_pin pin_attempts_exceeded pin_not_set',
  U16: 'payment_risk_check_failed',
  U66: 'invalid_device',
  U69: 'payment_cancelled payment_collect_request_expired authorisation_declined_by_psp',
  '05':
    'amount_less_than_minimum_amount authentication_failed bank_account_invalid bank_account_validation_failed ' +
    'bank_cutoff_in_progress bank_not_available bank_technical_error beneficiary_account_does_not_exist ' +
    'beneficiary_account_dormant capture_failed card_declined card_number_invalid collect_request_pending credit_failed ' +
    'debit_declined deemed_transaction duplicate_refund_id duplicate_request duplicate_rrn_found gateway_technical_error ' +
    'incorrect_card_details incorrect_cardholder_name incorrect_cvv incorrect_otp input_validation_failed invalid_amount ' +
    'invalid_currency invalid_email invalid_mobile_number invalid_order_id invalid_otp invalid_request ' +
    'invalid_response_from_gateway invalid_user_details invalid_vpa issuer_technical_error live_mode_not_enabled ' +
    'mandate_creation_declined mandate_creation_expired mandate_creation_failed mandate_creation_timeout ' +
    'merchant_not_activated mismatch_in_transaction_details mobile_number_invalid order_already_paid ' +
    'order_amount_mismatch order_payment_method_mismatch otp_attempts_exceeded otp_expired payment_amount_tampered ' +
    'payment_declined payment_declined_due_to_high_traffic payment_failed payment_pending payment_pending_approval ' +
    'payment_session_expired payment_timed_out psp_app_not_available psp_app_not_supported psp_not_available ' +
    'psp_not_registered record_not_found refund_limit_crossed reqauth_mandate_not_acknowledged request_timed_out ' +
    'server_error upi_app_technical_error verification_failed vpa_resolution_failed',
} as const satisfies { readonly [C in DeclineCode]?: string };

export const declines: Readonly<Record<string, DeclineCode>> = Object.fromEntries(
  Object.entries(reasons).flatMap(([code, list]) => list.split(' ').map((reason) => [reason, code as DeclineCode])),
);

/** Keyed by the entity and its `status`. A suffix after a colon distinguishes two meanings of one status. */
export const statuses = {
  payment: {
    'payment.created': 'pending',
    'payment.authorized': 'pending',
    'payment.captured': 'succeeded',
    'payment.refunded': 'succeeded',
    'payment.failed': 'failed',
    'payment_link.created': 'pending',
    'payment_link.partially_paid': 'underpaid',
    'payment_link.paid': 'succeeded',
    'payment_link.expired': 'expired',
    'payment_link.cancelled': 'cancelled',
  },
  refund: {
    'refund.pending': 'pending',
    'refund.processed': 'succeeded',
    'refund.failed': 'failed',
    // Only a page of questions and answers names this status.
    'refund.reversed': 'reversed',
  },
  chargeback: {
    'dispute.open': 'opened',
    'dispute.under_review': 'opened',
    'dispute.won': 'won',
    'dispute.lost': 'lost',
    'dispute.closed': 'reversed',
    'dispute.closed:deducted': 'lost',
  },
} as const;

/** The events that the webhook must report, in the spelling of the Dashboard's Active Events. */
export const webhookEvents: readonly string[] = [
  'payment.authorized',
  'payment.captured',
  'payment.failed',
  'payment_link.paid',
  'payment_link.partially_paid',
  'payment_link.cancelled',
  'payment_link.expired',
  'refund.created',
  'refund.processed',
  'refund.failed',
  'payment.dispute.created',
  'payment.dispute.under_review',
  'payment.dispute.action_required',
  'payment.dispute.won',
  'payment.dispute.lost',
  'payment.dispute.closed',
];

/** A payment that was authorised and refunded without a capture was never charged. */
export const mapStatus = statusTable(statuses, (status, { providerStatus, facts }) =>
  providerStatus === 'payment.refunded' && facts?.['captured'] === false ? 'failed' : status,
);
