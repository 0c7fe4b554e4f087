/** What G cannot do, judged in the merchant's body before G is asked. */
import { minorBound, v } from '@gateway/contract';
import { MAX_DIGITS } from './words.ts';

export const Bounds = v.pipe(
  v.looseObject({
    amount: v.optional(v.unknown()),
    unit: v.optional(v.unknown()),
    wallet: v.optional(v.custom(() => false, 'must be left out: Provider G takes no wallets')),
  }),
  minorBound(MAX_DIGITS),
);
