/** Refunds a payment. Adyen only confirms that it received the request; a REFUND webhook reports the result. */
import type { Ability } from '@paywright/contract';
import { modify } from './modification.ts';
import type { Options } from './options.ts';

export const refund: Ability<'refund', Options> = (payment, { reference, money }, ctx) =>
  // Present because of the manifest's `refundNeeds`.
  modify({ what: 'refunds', pspReference: payment.providerReference!, reference, money }, ctx);
