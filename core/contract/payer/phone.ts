/** Phone numbers as people write them. */
import { toAsciiDigits } from './digits.ts';

/** Blanks, invisible marks, hyphens and dashes, dots, slashes and brackets. */
const separator = /[\s\p{Cf}\p{Pd}\u2212.·/\\()[\]{}（）．]/gu;

/**
 * The number without what separates its digits for people: `+351 912-345.678` is `+351912345678`. A trunk zero in
 * brackets behind the country code, as in `+44 (0)20 7946 0018`, is not part of the international number (ITU-T E.123).
 */
export function readPhone(text: string): string {
  const ascii = toAsciiDigits(text).trim();
  return ascii.replace(/^(\+[\d\s.-]{1,6})\(0\)/, '$1').replaceAll(separator, '');
}
