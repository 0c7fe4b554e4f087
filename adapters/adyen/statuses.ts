/** The meaning of Adyen's event codes in webhooks, and of its reasons for refusals. */
import { statusTable, type DeclineCode, type ReportedEvent } from '@paywright/contract';

/** Keyed by `refusalReasonCode`. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  2: '05', // Refused
  3: '05', // Referral
  4: '05', // Acquirer Error
  5: '05', // Blocked Card
  6: '54', // Expired Card
  7: '05', // Invalid Amount
  8: '05', // Invalid Card Number
  9: '05', // Issuer Unavailable
  10: '57', // Not supported
  11: '05', // 3D Not Authenticated
  12: '51', // Not enough balance
  14: '05', // Acquirer Fraud
  15: '05', // Cancelled
  16: '05', // Shopper Cancelled
  17: '05', // Invalid Pin
  18: '05', // Pin tries exceeded
  19: '05', // Pin validation not possible
  20: '05', // FRAUD
  21: '05', // Not Submitted
  22: '05', // FRAUD-CANCELLED
  23: '57', // Transaction Not Permitted
  24: '05', // CVC Declined
  25: '57', // Restricted Card
  26: '05', // Revocation Of Auth
  27: '05', // Declined Non Generic
  28: '61', // Withdrawal amount exceeded
  29: '61', // Withdrawal count exceeded
  31: '05', // Issuer Suspected Fraud
  32: '05', // AVS Declined
  33: '05', // Card requires online pin
  34: '05', // No checking account available on Card
  35: '05', // No savings account available on Card
  36: '05', // Mobile pin required
  37: '05', // Contactless fallback
  38: '05', // Authentication required
  39: '05', // RReq not received from DS
  40: '05', // Current AID is in Penalty Box
  41: '05', // CVM Required Restart Payment
  42: '05', // 3DS Authentication Error
  43: '05', // Online PIN required
  44: '05', // Try another interface
  45: '05', // Chip downgrade mode
  46: '05', // Transaction blocked by Adyen to prevent excessive retry fees
};

/** The refusal that means that the payer was not authenticated. */
export const NOT_AUTHENTICATED = '11';

/** Keyed by `eventCode:success` of a payment. */
const payment = {
  // A payment with a later capture is only reserved: see below.
  'AUTHORISATION:true': 'succeeded',
  'AUTHORISATION:false': 'failed',
  'AUTHORISATION_PENDING:true': 'pending',
  'AUTHORISATION_PENDING:false': 'pending',
  'PENDING:true': 'pending',
  'PENDING:false': 'pending',
  'CAPTURE:true': 'succeeded',
  'CAPTURE:false': 'authorised',
  'CAPTURE_FAILED:true': 'failed',
  'CANCELLATION:true': 'cancelled',
  'CANCELLATION:false': 'authorised',
  // Or refunded, if the payment was captured: see `reversals`.
  'CANCEL_OR_REFUND:true': 'cancelled',
  'TECHNICAL_CANCEL:true': 'cancelled',
  'TECHNICAL_CANCEL:false': 'pending',
  'EXPIRE:true': 'expired',
  'OFFER_CLOSED:true': 'expired',
} as const;

/**
 * The money went back, by a request that did not know whether it was captured. `modification.action` names
 * which it was, but is not signed; core knows.
 */
export const reversals: ReadonlySet<string> = new Set(['CANCEL_OR_REFUND:true']);

/** Requests that failed and changed nothing. Other systems and the Customer Area send them, the gateway does not. */
export const withoutEffect: ReadonlySet<string> = new Set(['CANCEL_OR_REFUND:false']);

/** One capture each, with its own reference and amount. */
export const captures: ReadonlySet<string> = new Set(['CAPTURE:true']);

/** A capture or a cancel that Adyen had received and that failed. */
export const failedRequests: Readonly<Record<string, ReportedEvent['failedRequest']>> = {
  'CAPTURE:false': 'capture',
  // The scheme refused a capture that Adyen had already reported.
  'CAPTURE_FAILED:true': 'capture',
  'CANCELLATION:false': 'void',
};

/** Keyed by `eventCode:success` of a refund. */
const refund = {
  'REFUND:true': 'succeeded',
  'REFUND:false': 'failed',
  'REFUND_FAILED:true': 'reversed',
  'REFUNDED_REVERSED:true': 'reversed',
  'POSTPONED_REFUND:true': 'pending',
} as const;

/** Keyed by `eventCode:success` of a dispute, in the order in which a case advances. */
const chargeback = {
  'NOTIFICATION_OF_CHARGEBACK:true': 'opened',
  'CHARGEBACK:true': 'opened',
  'DISPUTE_DEFENSE_PERIOD_ENDED:true': 'lost',
  // The money is back for now; the issuer may start a second chargeback.
  'CHARGEBACK_REVERSED:true': 'won',
  'ISSUER_RESPONSE_TIMEFRAME_EXPIRED:true': 'won',
  'SECOND_CHARGEBACK:true': 'lost',
  'PREARBITRATION_OPEN:true': 'opened',
  'PREARBITRATION_ACCEPTED:true': 'opened',
  'PREARBITRATION_DECLINED:true': 'opened',
  'PREARBITRATION_ISSUER_WITHDRAWN:true': 'reversed',
  'PREARBITRATION_WON:true': 'won',
  'PREARBITRATION_LOST:true': 'lost',
  'SCHEME_ARBITRATION:true': 'opened',
  'SCHEME_ARBITRATION_WON:true': 'won',
  'SCHEME_ARBITRATION_LOST:true': 'lost',
} as const;

const disputeWords = Object.keys(chargeback);

const codes = [payment, refund, chargeback].flatMap((words) => Object.keys(words).map((word) => word.split(':')[0]!));
const known: ReadonlySet<string> = new Set(codes);

/** True for an event code that can change a payment, a refund or a dispute. */
export function isKnownCode(eventCode: string): boolean {
  return known.has(eventCode);
}

/** They repeat what the answer to the payment says, for methods that the adapter does not offer. */
const dispensable: ReadonlySet<string> = new Set(['AUTHORISATION_PENDING', 'PENDING']);

/** Event codes that the webhook must send. */
export const neededEvents: readonly string[] = [...known].filter((code) => !dispensable.has(code));

/** Event codes that a webhook sends only if they are selected. */
export const extraEvents: readonly string[] = [
  'CAPTURE_FAILED',
  'EXPIRE',
  'OFFER_CLOSED',
  'POSTPONED_REFUND',
  'TECHNICAL_CANCEL',
];

/**
 * Event codes that say nothing about the state of a payment, a refund or a dispute of ours. Together with the tables
 * above, these are all event codes that Adyen's OpenAPI document and its libraries list: see README.md.
 */
export const silentCodes: ReadonlySet<string> = new Set([
  'ACH_NOTIFICATION_OF_CHANGE',
  'ADVICE_OF_DEBIT',
  'AUTHENTICATION',
  'AUTHORISATION_ADJUSTMENT',
  // The authorisation is to be asked for by telephone; AUTHORISATION reports its result.
  'AUTHORISE_REFERRAL',
  'AUTORESCUE',
  'CANCEL_AUTORESCUE',
  // Captures an authorisation that was not made at Adyen.
  'CAPTURE_WITH_EXTERNAL_AUTH',
  'DEACTIVATE_RECURRING',
  'DIRECT_DEBIT_NOTICE_OF_CHANGE_NOTIFICATION',
  // A gift at the checkout, with a reference of its own.
  'DONATION',
  'FRAUD_ONLY',
  'FUND_TRANSFER',
  'HANDLED_EXTERNALLY',
  'INFORMATION_SUPPLIED',
  'ISSUER_COMMENTS',
  'MANUAL_REVIEW_ACCEPT',
  // CANCEL_OR_REFUND or CANCELLATION reports what follows from it.
  'MANUAL_REVIEW_REJECT',
  'NOTIFICATION_OF_FRAUD',
  'ORDER_CLOSED',
  'ORDER_OPENED',
  'PAIDOUT_REVERSED',
  'PAYOUT_DECLINE',
  'PAYOUT_EXPIRE',
  'PAYOUT_THIRDPARTY',
  'PROCESS_RETRY',
  'RECURRING_CONTRACT',
  // Refunds to a card or account that is not a payment of ours.
  'REFUND_WITH_DATA',
  'REPORT_AVAILABLE',
  'REQUEST_FOR_INFORMATION',
  'SUBMIT_RECURRING',
  // Voids a refund of a terminal.
  'VOID_PENDING_REFUND',
]);

/** The subject of an event code. A code that no table has counts as a payment's. */
export function kindOf(word: string): 'payment' | 'refund' | 'chargeback' {
  if (Object.hasOwn(refund, word)) return 'refund';
  return Object.hasOwn(chargeback, word) ? 'chargeback' : 'payment';
}

/** The stage of a dispute, as its position in the table, because the signature covers no time. */
export function disputeOrder(word: string): number {
  return disputeWords.indexOf(word);
}

export const mapStatus = statusTable({ payment, refund, chargeback }, (status, { providerStatus, facts }) =>
  providerStatus === 'AUTHORISATION:true' && facts?.['isHeld'] === true ? 'authorised' : status,
);
