/** What New Provider cannot do, judged in the merchant's body before anybody is asked. */
// for: card token
import { v } from '@gateway/contract';
// end
import { decide, undecided } from './undecided.ts';

/** Digits of an amount in minor units. */
export const MAX_DIGITS = decide(undecided.limits, 15);
// for: card token

export const Bounds = v.looseObject({
  // for: card
  captureDelayHours: v.optional(v.custom(isZero, 'must be 0 or left out: New Provider captures at once')),
  wallet: v.optional(v.custom(() => false, 'must be left out: New Provider takes no wallets')),
  // end
  is3ds: v.optional(v.custom((value) => value !== true, 'must not be true: New Provider has no 3D Secure')),
});
// end
// for: card

/** Zero, whether a number or one that is kept as it was spelled. */
function isZero(value: unknown): boolean {
  return Number(typeof value === 'object' && value && 'text' in value ? value.text : value) === 0;
}
// end
