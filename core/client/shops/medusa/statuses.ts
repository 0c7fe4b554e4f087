/** The states of a payment request, in Medusa's words. */
import type { PaymentRequest } from '@paywright/client';
import { PaymentActions, PaymentSessionStatus } from '@medusajs/framework/utils';
import { isLess } from './amounts.ts';

/**
 * A failed payment request is pending for Medusa, because its payer can try again. A payment that was refunded in full
 * pays for no order. A payment of which only a part was captured is authorised: Medusa would record the whole amount.
 */
export function toStatus(payment: PaymentRequest): PaymentSessionStatus {
  switch (payment.paymentRequestStatusId) {
    case 0:
    case 3:
      return PaymentSessionStatus.PENDING;
    case 1:
      return payment.isAuthorised ? PaymentSessionStatus.AUTHORIZED : PaymentSessionStatus.PENDING;
    case 2:
      return isCapturedInPart(payment) ? PaymentSessionStatus.AUTHORIZED : PaymentSessionStatus.CAPTURED;
    case 4:
    case 5:
      return PaymentSessionStatus.CANCELED;
  }
}

/** What Medusa does about a notification. It completes the cart for `authorized` and `captured`. */
export function toAction(payment: PaymentRequest): PaymentActions {
  const status = toStatus(payment);
  if (status === PaymentSessionStatus.CAPTURED) return PaymentActions.SUCCESSFUL;
  if (status === PaymentSessionStatus.AUTHORIZED) return PaymentActions.AUTHORIZED;
  if (status === PaymentSessionStatus.CANCELED) return PaymentActions.CANCELED;
  return payment.paymentRequestStatusId === 3 ? PaymentActions.FAILED : PaymentActions.PENDING;
}

/** True if less than the amount was captured, for example in the provider's dashboard. */
export function isCapturedInPart({ grossAmount, amount }: PaymentRequest): boolean {
  return grossAmount !== null && isLess(grossAmount, amount);
}
