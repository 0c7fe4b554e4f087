/** Giving money back: Adyen receives the request, and a REFUND webhook says what came of it. */
import type { Ability } from '@paywright/contract';
import { modify } from './modification.ts';
import type { Options } from './options.ts';

export const refund: Ability<'refund', Options> = (payment, { reference, money }, ctx) =>
  // There by the manifest's `refundNeeds`.
  modify({ what: 'refunds', pspReference: payment.providerReference!, reference, money }, ctx);
