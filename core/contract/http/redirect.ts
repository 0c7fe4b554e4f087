/** The page that a payer is sent to, and the provider's reference of the payment while the payer is there. */
import type { Action } from '../outcome.ts';
import type { StoredPayment } from '../payment.ts';
import { isWebAddress } from '../read/web-address.ts';

/** What an action of `redirectTo` has in addition to its address. */
type RedirectMore = Pick<Extract<Action, { type: 'redirect' }>, 'completesOnReturn' | 'referrer' | 'transactionId'>;

/**
 * Sends the payer's browser to a page of the provider or the issuer; undefined if the message names no web address.
 * `more` is the provider's id of a 3D Secure challenge, or members of the action.
 */
export function redirectTo(url: string | null | undefined, more: string | RedirectMore = {}): Action | undefined {
  if (!url || !isWebAddress(url)) return undefined;
  return { type: 'redirect', method: 'GET', url, ...(typeof more === 'string' ? { transactionId: more } : more) };
}

/** The provider's reference of a payment; if none is known yet, the id that its action names. */
export function referenceOrAction({ providerReference, action }: StoredPayment): string | undefined {
  if (providerReference !== undefined) return providerReference;
  return action?.type === 'redirect' ? action.transactionId : action?.type === 'confirm' ? action.paymentId : undefined;
}
