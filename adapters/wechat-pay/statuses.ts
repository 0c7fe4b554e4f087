/** What the statuses of WeChat Pay mean, and its reasons for a refusal. */
import { statusTable, type DeclineCode } from '@paywright/contract';

/** `trade_state`; the last three come of payment codes alone, which we do not take. */
const payment = {
  SUCCESS: 'succeeded',
  // Paid, and at least a part of it was given back: the refunds are reported by themselves.
  REFUND: 'succeeded',
  NOTPAY: 'pending',
  CLOSED: 'expired',
  REVOKED: 'cancelled',
  USERPAYING: 'pending',
  PAYERROR: 'failed',
} as const;

/** `status` of an answer, `refund_status` of a notification. */
export const refundStatuses = {
  PROCESSING: 'pending',
  SUCCESS: 'succeeded',
  CLOSED: 'failed',
  // The payer's bank took it not: the merchant sends it elsewhere by hand, and then it succeeds, or is closed.
  ABNORMAL: 'pending',
} as const;

export const mapStatus = statusTable({ callback: { payment, refund: refundStatuses }, fetch: { payment } });

export const paid: ReadonlySet<string> = new Set(['SUCCESS', 'REFUND']);

/** The only refusal that is ever reported of a payment, without a reason: a payer who fails in WeChat tries again there. */
export const declines: Readonly<Record<string, DeclineCode>> = { PAYERROR: '05' };
