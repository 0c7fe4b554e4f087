/**
 * Releases reserved money. Adyen only confirms that it received the request; a CANCELLATION webhook reports the result.
 */
import { nothingCharged, type Ability } from '@paywright/contract';
import { modify } from './modification.ts';
import type { Options } from './options.ts';

const release: Ability<'void', Options> = async ({ providerReference }, ctx, { reference }) => {
  if (providerReference === undefined) return nothingCharged('there is no Adyen reference to cancel');
  return modify({ what: 'cancels', pspReference: providerReference, reference }, ctx);
};
export { release as void };
