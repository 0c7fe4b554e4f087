import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/** True from `expiresAt` on: no new attempt can start. An attempt that already started may still succeed. */
export function isExpired({ expiresAt }: Pick<PaymentRecord, 'expiresAt'>, now: Date): boolean {
  return expiresAt ? expiresAt <= now : false;
}
