/** Generated from the OpenAPI document by `npm run generate -w @paywright/client`. */
import type { GatewayClient } from './types.ts';

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The answer is CSV text. */
  readonly isText?: true;
}

export const calls: Readonly<Record<keyof GatewayClient, Call>> = {
  payByCard: { method: 'POST', path: '/payments/creditCard/{id}' },
  payH2h: { method: 'POST', path: '/payments/h2h/{id}' },
  confirmByMemberCode: { method: 'POST', path: '/payments/cardMemberConfirm/{id}' },
  payByUpi: { method: 'POST', path: '/payments/upi/{id}' },
  createPaymentRequest: { method: 'POST', path: '/payment-requests' },
  listPaymentRequests: { method: 'GET', path: '/payment-requests' },
  createPaymentRequests: { method: 'POST', path: '/payment-requests/batch' },
  getPaymentRequest: { method: 'GET', path: '/payment-requests/{id}' },
  getTimeline: { method: 'GET', path: '/payment-requests/{id}/timeline' },
  refund: { method: 'POST', path: '/payment-requests/{id}/refund' },
  capture: { method: 'POST', path: '/payment-requests/{id}/capture' },
  cancel: { method: 'POST', path: '/payment-requests/{id}/cancel' },
  listNotifications: { method: 'GET', path: '/notifications' },
  resendNotification: { method: 'POST', path: '/notifications/{id}/resend' },
  resendNotifications: { method: 'POST', path: '/notifications/resend' },
  reportPayments: { method: 'GET', path: '/reports/payments' },
  reportPaymentsCsv: { method: 'GET', path: '/reports/payments', isText: true },
};

/** The members of bodies and answers that are amounts. */
export const amountMembers: ReadonlySet<string> = new Set([
  'amount',
  'feeAmount',
  'grossAmount',
  'netAmount',
  'receivedAmount',
  'refundedAmount',
  'refundableAmount',
  'disputedAmount',
  'exchangeRate',
  'totalDeposits',
]);
