/** What D can take of a merchant's body. */
import { minorBound, v } from '@gateway/contract';
import { units } from './countries.ts';

/** Digits of a sum in minor units. */
export const MAX_DIGITS = 15;
const MAX_STATE = 50;

export const Bounds = v.pipe(
  v.looseObject({
    amount: v.optional(v.unknown()),
    unit: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z]{2}$/, 'must be exactly 2 letters'))),
    // Characters as the interface counts them: code points.
    state: v.optional(
      v.pipe(
        v.string(),
        v.check((text) => Array.from(text).length <= MAX_STATE, `must have at most ${MAX_STATE} characters`),
      ),
    ),
  }),
  minorBound(MAX_DIGITS, (unit) => (Object.hasOwn(units, unit) ? units[unit] : undefined)),
);
