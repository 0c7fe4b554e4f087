/** The meaning of BTCPay Server's statuses. */
import { statusTable, type DeclineCode } from '@paywright/contract';

/** `status` of an invoice says how far it is. */
const invoiceMeanings = {
  New: 'pending',
  Processing: 'pending',
  Settled: 'succeeded',
  Expired: 'expired',
  Invalid: 'failed',
} as const;

/** `additionalStatus` says why the invoice has its status. `None` is left out of a pair. */
const reasons = ['None', 'PaidLate', 'PaidPartial', 'Marked', 'Invalid', 'PaidOver'];

/** The pairs in which the reason says more than the status. */
const exceptions = {
  'New PaidPartial': 'underpaid',
  'Settled PaidOver': 'overpaid',
  'Expired PaidPartial': 'underpaid',
  'Expired PaidLate': 'late',
  'Expired PaidOver': 'late',
} as const;

export function pairOf(status: string, additionalStatus: string): string {
  return additionalStatus === 'None' ? status : `${status} ${additionalStatus}`;
}

/** All pairs that an invoice can have. Without an exception, `status` decides. */
const invoiceStatuses = {
  ...Object.fromEntries(
    Object.entries(invoiceMeanings).flatMap(([status, meaning]) =>
      reasons.map((reason) => [pairOf(status, reason), meaning]),
    ),
  ),
  ...exceptions,
};

export function isListed(providerStatus: string): boolean {
  return Object.hasOwn(invoiceStatuses, providerStatus);
}

/** Statuses of an invoice whose payment never counts. */
export const declines: Readonly<Record<string, DeclineCode>> = Object.fromEntries(
  reasons.map((reason) => [pairOf('Invalid', reason), '05']),
);

/** States of a payout in progress. */
const payoutStatuses = { AwaitingApproval: 'pending', AwaitingPayment: 'pending', InProgress: 'pending' } as const;

/** `type` of a webhook about an invoice, `payoutState` of a webhook about a payout. */
export const callbackStatuses = {
  payment: {
    InvoiceCreated: 'pending',
    InvoiceReceivedPayment: 'pending',
    InvoicePaymentSettled: 'pending',
    InvoiceProcessing: 'pending',
    InvoiceSettled: 'succeeded',
    InvoiceExpired: 'expired',
    InvoiceExpiredPaidPartial: 'underpaid',
    InvoicePaidAfterExpiration: 'pending',
    InvoiceInvalid: 'failed',
  },
  refund: {
    InvoiceRefund: 'pending',
    ...payoutStatuses,
    // The result of one claim. The rest of the refund, or all of it, can be claimed again.
    Completed: 'pending',
    Cancelled: 'pending',
  },
} as const;

/** A refund has the state of the claim on its pull payment; `Active` without a claim. */
const fetchStatuses = {
  payment: invoiceStatuses,
  refund: { Active: 'pending', ...payoutStatuses, Completed: 'succeeded', Archived: 'failed' },
} as const;

/**
 * An expired invoice never settles. Late money counts once it is confirmed. The server decides whether it is enough,
 * with the payment tolerance of the store: if it is not, the invoice is `PaidPartial`.
 */
export const mapStatus = statusTable({ callback: callbackStatuses, fetch: fetchStatuses }, (status, { facts }) =>
  status === 'late' && facts?.['isConfirmed'] !== true ? 'pending' : status,
);

/** The events that the webhook must send, with their names in the server's webhook form. */
export const webhookEvents: Readonly<Record<string, string>> = {
  InvoiceReceivedPayment: 'Invoice - Received Payment',
  InvoicePaymentSettled: 'Invoice - Payment Settled',
  InvoiceProcessing: 'Invoice - Is Processing',
  InvoiceExpired: 'Invoice - Expired',
  InvoiceSettled: 'Invoice - Is Settled',
  InvoiceInvalid: 'Invoice - Became Invalid',
  PayoutUpdated: 'Payout - Updated',
};
