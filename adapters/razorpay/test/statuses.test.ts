import { expect } from 'chai';
import { describe, it } from 'mocha';
import { declines } from '../statuses.ts';

/** Razorpay's list of error reasons (its pages about errors of payments, cards and UPI, of 2026-04-09), by name. */
const published =
  'amount_less_than_minimum_amount authentication_failed bank_account_invalid bank_account_validation_failed bank_not_enabled bank_technical_error capture_failed card_expired card_network_not_enabled card_not_enrolled card_number_invalid card_type_invalid compliance_violation debit_instrument_blocked duplicate_refund_id duplicate_request emi_greater_than_max_amount emi_plan_unavailable incorrect_atm_pin incorrect_card_details incorrect_card_expiry_date incorrect_cardholder_name incorrect_cvv incorrect_otp incorrect_pin input_validation_failed insufficient_funds international_transaction_not_allowed invalid_amount invalid_currency invalid_device invalid_email invalid_mobile_number invalid_order_id invalid_request invalid_user_details invalid_vpa live_mode_not_enabled merchant_not_activated mismatch_in_transaction_details mobile_number_invalid order_already_paid order_payment_method_mismatch order_amount_mismatch otp_attempts_exceeded otp_expired payment_cancelled payment_failed payment_method_not_enabled payment_pending_approval payment_risk_check_failed payment_timed_out pin_attempts_exceeded pin_not_set record_not_found recurring_payment_not_enabled refund_limit_crossed server_error transaction_daily_limit_exceeded transaction_limit_exceeded transaction_frequency_limit_exceeded transaction_on_vpa_restricted upi_app_technical_error upi_autopay_not_supported_on_psp upi_collect_not_enabled upi_intent_not_enabled user_not_eligible user_not_registered_for_netbanking verification_failed authorisation_declined_by_psp bank_cutoff_in_progress bank_not_available beneficiary_account_does_not_exist beneficiary_account_dormant card_declined collect_on_mcc_blocked collect_request_pending credit_limit_exceeded credit_limit_expired credit_limit_inactive credit_limit_not_approved credit_not_permitted credit_failed debit_declined deemed_transaction debit_instrument_inactive duplicate_rrn_found funds_blocked_by_mandate gateway_technical_error invalid_response_from_gateway issuer_technical_error mandate_creation_declined mandate_creation_expired mandate_creation_failed mandate_creation_timeout mcc_amount_limit_exceeded payment_amount_tampered payment_collect_request_expired payment_declined payment_declined_due_to_high_traffic payment_pending payment_session_expired psp_app_not_available psp_app_not_supported psp_not_available psp_not_registered reqauth_mandate_not_acknowledged request_timed_out transaction_daily_count_exceeded vpa_resolution_failed card_disabled_for_online_payments'.split(
    ' ',
  );

describe('the table of decline reasons', () => {
  it('contains every published reason', () => {
    expect(published.filter((reason) => !Object.hasOwn(declines, reason))).to.deep.equal([]);
  });

  it('contains no other reason, except one that an example of an error shows', () => {
    expect(Object.keys(declines).filter((reason) => !published.includes(reason))).to.deep.equal(['invalid_otp']);
  });

  it('distinguishes reasons as far as merchants need', () => {
    const codes = ['05', '51', '54', '57', '61', 'U16', 'U30', 'U66', 'U69'];
    expect([...new Set(Object.values(declines))].toSorted()).to.deep.equal(codes);
  });
});
