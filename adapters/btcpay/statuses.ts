/** The meaning of BTCPay Server's statuses. */
import { statusTable, type DeclineCode } from '@paywright/contract';

/** Statuses of an invoice whose payment never counts. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  Invalid: '05',
  'Invalid PaidOver': '05',
  'Invalid Marked': '05',
};

/** `status` of an invoice, followed by its `additionalStatus` unless that is `None`. */
const invoiceStatuses = {
  New: 'pending',
  'New PaidPartial': 'underpaid',
  Processing: 'pending',
  'Processing PaidOver': 'pending',
  Settled: 'succeeded',
  'Settled PaidOver': 'overpaid',
  'Settled Marked': 'succeeded',
  Expired: 'expired',
  'Expired PaidPartial': 'underpaid',
  'Expired PaidLate': 'late',
  'Expired PaidOver': 'late',
  Invalid: 'failed',
  'Invalid PaidOver': 'failed',
  'Invalid Marked': 'failed',
} as const;

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

/** An expired invoice never settles. Late money counts once it is confirmed and sufficient. */
export const mapStatus = statusTable({ callback: callbackStatuses, fetch: fetchStatuses }, (status, { facts = {} }) => {
  if (status !== 'late') return status;
  if (facts['isEnough'] === false) return 'underpaid';
  return facts['isConfirmed'] === true ? 'late' : 'pending';
});

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
