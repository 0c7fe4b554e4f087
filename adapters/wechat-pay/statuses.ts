/** The meaning of WeChat Pay's states, and of its refusals. */
import { statusTable, type DeclineCode } from '@paywright/contract';

/** `trade_state`. REVOKED, USERPAYING and PAYERROR belong to payment codes, which this adapter does not offer. */
const payment = {
  SUCCESS: 'succeeded',
  // Paid, and refunded at least in part. Refunds are reported separately.
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
  // The payer's bank did not accept the money. The merchant sends it by hand in the merchant platform.
  ABNORMAL: 'needs_merchant',
} as const;

export const mapStatus = statusTable({ callback: { payment, refund: refundStatuses }, fetch: { payment } });

export const paid: ReadonlySet<string> = new Set(['SUCCESS', 'REFUND']);

/** The only refusal of a payment that WeChat Pay reports, without a reason. A payer tries again inside WeChat. */
export const declines: Readonly<Record<string, DeclineCode>> = { PAYERROR: '05' };
