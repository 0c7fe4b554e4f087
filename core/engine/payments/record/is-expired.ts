import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/** Nobody may begin to pay it any more. What began before goes on. */
export function isOver({ expiresAt }: Pick<PaymentRecord, 'expiresAt'>, now: Date): boolean {
  return expiresAt ? expiresAt <= now : false;
}
