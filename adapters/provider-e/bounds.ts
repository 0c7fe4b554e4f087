/** What E cannot do, judged in the merchant's body before E is asked. */
import { minorBound, v } from '@gateway/contract';

/** A sum has at most so many digits in minor units. */
export const MAX_DIGITS = 18;

export const Bounds = v.pipe(
  v.looseObject({
    amount: v.optional(v.unknown()),
    unit: v.optional(v.unknown()),
    is3ds: v.optional(v.custom((value) => value !== true, 'cannot be demanded: Provider E has no 3D Secure')),
    wallet: v.optional(v.custom(() => false, 'must be left out: Provider E takes no wallets')),
  }),
  minorBound(MAX_DIGITS),
);
