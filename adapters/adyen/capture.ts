/** Captures reserved money. Adyen only confirms that it received the request; a CAPTURE webhook reports the result. */
import { nothingCharged, type Ability } from '@paywright/contract';
import { modify } from './modification.ts';
import type { Options } from './options.ts';

export const capture: Ability<'capture', Options> = async ({ providerReference }, { reference, money }, ctx) => {
  if (providerReference === undefined) return nothingCharged('there is no Adyen reference to capture');
  return modify({ what: 'captures', pspReference: providerReference, reference, money }, ctx);
};
