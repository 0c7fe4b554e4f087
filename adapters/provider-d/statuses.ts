/** The meaning of D's statuses: operation and code (`0:0000`), and the additional statuses of a status answer. */
import { statusTable, type DeclineCode, type EventStatuses } from '@paywright/contract';

/** Decline codes by the code of operation 0, and by the error that is a decline. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  '0190': '05',
  '0116': '51',
  '0101': '54',
  '0104': '57',
  '0180': '57',
  '0121': '61',
  '0184': '05',
  '9912': '05',
  not_payable: '57',
};

/** One status for a range of codes of an operation. */
function codes<S>(op: string, from: number, to: number, status: S): Record<string, S> {
  const all = Array.from({ length: to - from + 1 }, (_, at) => String(from + at).padStart(4, '0'));
  return Object.fromEntries(all.map((code) => [`${op}:${code}`, status]));
}

export const paymentStatuses: Readonly<Record<string, EventStatuses['payment']>> = {
  ...codes('0', 0, 99, 'succeeded'),
  ...codes('0', 100, 399, 'failed'),
  '0:9912': 'failed',
  '0:9915': 'cancelled',
  '0:9970': 'expired',
  '0:9997': 'pending',
  '9:0400': 'cancelled',
};

export const refundStatuses: Readonly<Record<string, EventStatuses['refund']>> = {
  '3:0900': 'succeeded',
  '3:9997': 'pending',
  ...codes('3', 100, 399, 'failed'),
  '3:0901': 'reversed',
};

const disputeStatuses: Readonly<Record<string, EventStatuses['chargeback']>> = {
  '7:0700': 'opened',
  '7:0701': 'won',
  '7:0702': 'lost',
  '7:0703': 'reversed',
};

/** A status answer also reports an open page, the refunded sum, and the state of a dispute. */
export const mapStatus = statusTable({
  callback: { payment: paymentStatuses, refund: refundStatuses, chargeback: disputeStatuses },
  fetch: {
    payment: { ...paymentStatuses, '0:8000': 'pending' },
    refund: { ...refundStatuses, D_Back: 'succeeded' },
    chargeback: { ...disputeStatuses, open: 'opened', won: 'won', lost: 'lost', back: 'reversed' },
  },
});
