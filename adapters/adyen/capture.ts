/** Collecting reserved money: Adyen receives the request, and a CAPTURE webhook says what came of it. */
import { nothingCharged, type Ability } from '@paywright/contract';
import { modify } from './modification.ts';
import type { Options } from './options.ts';

export const capture: Ability<'capture', Options> = async ({ providerReference }, { reference, money }, ctx) => {
  if (providerReference === undefined) return nothingCharged('no reference of Adyen to capture');
  return modify({ what: 'captures', pspReference: providerReference, reference, money }, ctx);
};
