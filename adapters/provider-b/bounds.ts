/** What B cannot do, judged in the merchant's body before B is asked. */
import { v } from '@gateway/contract';

export const Bounds = v.looseObject({
  captureDelayHours: v.optional(v.custom(isZero, 'must be 0 or left out: Provider B captures at once')),
  wallet: v.optional(v.custom(() => false, 'must be left out: Provider B takes no wallets')),
  is3ds: v.optional(v.custom((value) => value !== true, 'must not be true: Provider B has no 3D Secure')),
});

/** Zero, whether a number or one that is kept as it was spelled. */
function isZero(value: unknown): boolean {
  return Number(typeof value === 'object' && value && 'text' in value ? value.text : value) === 0;
}
