/** Finds card numbers inside texts, because people type them into the wrong field, in the digits of their keyboard. */
import { passesLuhn, toAsciiDigits } from '@paywright/contract';

/** The digits of a card as people write them; not inside a longer number, and not a phone number with `+`. */
const cardLike = /(?<![\d+])[2-6]\d(?:[ -]?\d){11,17}(?!\d)/g;

/** Replaces everything in the text that looks like a card number. */
export function replaceCardNumbers(text: string, by: (digits: string) => string): string {
  return withAsciiDigits(text, (ascii) =>
    ascii.replace(cardLike, (found) => {
      const digits = found.replace(/\D/g, '');
      return passesLuhn(digits) ? by(digits) : found;
    }),
  );
}

/** Masks the text with its digits as 0–9. Text in which nothing was masked stays as typed. */
function withAsciiDigits(text: string, mask: (ascii: string) => string): string {
  const ascii = toAsciiDigits(text);
  const masked = mask(ascii);
  return masked === ascii ? text : masked;
}

/** A shorter number would show too much of itself in the first six plus the last four digits. */
const minDigitsForBin = 13;

/** `411111…1111` */
export function maskCardNumber(digits: string): string {
  return `${digits.length < minDigitsForBin ? '' : digits.slice(0, 6)}…${digits.slice(-4)}`;
}

/** The text with this card number masked, however its digits are grouped. */
export function maskThisCard(text: string, number: string): string {
  const digits = toAsciiDigits(number).replace(/\D/g, '');
  if (digits === '' || text.length < digits.length) return text;
  const parted = new RegExp(`(?<!\\d)${Array.from(digits).join('[ -]?')}(?!\\d)`, 'g');
  return withAsciiDigits(text, (ascii) => ascii.replace(parted, maskCardNumber(digits)));
}

export function hasCardNumber(text: string): boolean {
  return (toAsciiDigits(text).match(cardLike) ?? []).some((found) => passesLuhn(found.replace(/\D/g, '')));
}
