import { compareDecimals, subtractDecimals } from '@paywright/contract';

/** `left - right`, with a minus sign if it is below 0. */
export function signedDifference(left: string, right: string): string {
  return compareDecimals(left, right) < 0 ? `-${subtractDecimals(right, left)}` : subtractDecimals(left, right);
}
