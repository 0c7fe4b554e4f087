/** Refunds that failed and were not made later. */
import { compareDecimals } from '@paywright/contract';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';

/** Our failed refunds for which no later refund of at least their amount succeeded. */
export function lackingRefunds({ refunds }: Pick<PaymentRecord, 'refunds'>): Refund[] {
  return refunds.filter(
    (failed) =>
      failed.state === 'failed' &&
      !refunds.some(
        ({ n, state, amount }) => n > failed.n && state === 'succeeded' && compareDecimals(amount, failed.amount) >= 0,
      ),
  );
}
