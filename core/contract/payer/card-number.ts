/** Card numbers, and the schemes that their prefixes belong to. */
import { toAsciiDigits } from './digits.ts';

/** A card number without the blanks and hyphens between its groups. Other characters stay, so that they are refused. */
export function readCardNumber(text: string): string {
  return toAsciiDigits(text).replaceAll(/[\s\p{Cf}\p{Pd}]/gu, '');
}

/** Checks the check digit of a card number (ISO/IEC 7812). */
export function passesLuhn(digits: string): boolean {
  if (!/^\d+$/.test(digits)) return false;
  const sum = Array.from(digits, Number)
    .map((value, at) => ((digits.length - at) % 2 === 0 ? value * 2 : value))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}

/**
 * Card schemes by the prefix of their numbers. They are used to show a name and to group the digits, never for a
 * decision: ranges move between schemes and are shared, and no table knows the next one.
 */
export interface CardBrand {
  readonly name: string;
  /** The first pattern that matches counts. */
  readonly prefix: RegExp;
  /** The groups in which the digits are printed on the card. */
  readonly groups: readonly number[];
  /** The most digits that its numbers usually have. */
  readonly longest: number;
}

const fours = [4, 4, 4, 4, 3] as const;

export const cardBrands: readonly CardBrand[] = [
  { name: 'Visa', prefix: /^4/, groups: fours, longest: 19 },
  { name: 'Mastercard', prefix: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, groups: fours, longest: 16 },
  { name: 'American Express', prefix: /^3[47]/, groups: [4, 6, 5], longest: 15 },
  { name: 'UnionPay', prefix: /^(62|81)/, groups: fours, longest: 19 },
  { name: 'Hipercard', prefix: /^606282/, groups: fours, longest: 19 },
  { name: 'RuPay', prefix: /^(508[5-9]|60(?!11)|82)/, groups: fours, longest: 16 },
  { name: 'Discover', prefix: /^(6011|64[4-9]|65)/, groups: fours, longest: 19 },
  { name: 'Diners Club', prefix: /^(30[0-5]|3[689])/, groups: [4, 6, 4, 5], longest: 19 },
  { name: 'JCB', prefix: /^35(2[89]|[3-8])/, groups: fours, longest: 19 },
  { name: 'Maestro', prefix: /^(50|5[6-9]|6[37])/, groups: fours, longest: 19 },
];

/** The brand of a number, or of its first six digits. Undefined if the prefix is not known. */
export function cardBrandOf(digits: string): CardBrand | undefined {
  return cardBrands.find(({ prefix }) => prefix.test(digits));
}
