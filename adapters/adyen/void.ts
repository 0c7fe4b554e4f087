/** Releasing reserved money: Adyen receives the request, and a CANCELLATION webhook says what came of it. */
import { nothingCharged, type Ability } from '@paywright/contract';
import { modify } from './modification.ts';
import type { Options } from './options.ts';

const release: Ability<'void', Options> = async ({ providerReference }, ctx, { reference }) => {
  if (providerReference === undefined) return nothingCharged('no reference of Adyen to cancel');
  return modify({ what: 'cancels', pspReference: providerReference, reference }, ctx);
};
export { release as void };
