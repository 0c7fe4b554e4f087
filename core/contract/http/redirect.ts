/** Where a payer goes on, and what the provider calls the payment meanwhile. */
import type { Action } from '../outcome.ts';
import type { StoredPayment } from '../payment.ts';
import { isWebAddress } from '../read/web-address.ts';

/**
 * Sends the payer's browser to a page of the provider's or the issuer's; undefined where the message names no address of
 * the web. `transactionId` is the provider's id of a 3D Secure challenge.
 */
export function redirectTo(url: string | null | undefined, transactionId?: string): Action | undefined {
  if (!url || !isWebAddress(url)) return undefined;
  return { type: 'redirect', method: 'GET', url, ...(transactionId === undefined ? {} : { transactionId }) };
}

/** The provider's reference of a payment; while none is known, the id that its action names. */
export function referenceOrAction({ providerReference, action }: StoredPayment): string | undefined {
  if (providerReference !== undefined) return providerReference;
  return action?.type === 'redirect' ? action.transactionId : action?.type === 'confirm' ? action.paymentId : undefined;
}
