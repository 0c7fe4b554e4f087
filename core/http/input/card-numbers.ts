/** Finds card numbers inside texts, because people type them into the wrong field. */

/** The digits of a card as people write them; not inside a longer number, and not a phone number with `+`. */
const cardLike = /(?<![\d+])[2-6]\d(?:[ -]?\d){11,17}(?!\d)/g;

/** Replaces everything in the text that looks like a card number. */
export function replaceCardNumbers(text: string, by: (digits: string) => string): string {
  return text.replace(cardLike, (found) => {
    const digits = found.replace(/\D/g, '');
    return passesLuhn(digits) ? by(digits) : found;
  });
}

/** A shorter number would show too much of itself in the first six plus the last four digits. */
const minDigitsForBin = 13;

/** `411111…1111` */
export function maskCardNumber(digits: string): string {
  return `${digits.length < minDigitsForBin ? '' : digits.slice(0, 6)}…${digits.slice(-4)}`;
}

/** The text with this card number masked, however its digits are grouped. */
export function maskThisCard(text: string, number: string): string {
  const digits = number.replace(/\D/g, '');
  const parted = new RegExp(`(?<!\\d)${Array.from(digits).join('[ -]?')}(?!\\d)`, 'g');
  return text.replace(parted, maskCardNumber(digits));
}

export function hasCardNumber(text: string): boolean {
  return (text.match(cardLike) ?? []).some((found) => passesLuhn(found.replace(/\D/g, '')));
}

/** Checks the check digit of a card number (ISO/IEC 7812). */
export function passesLuhn(digits: string): boolean {
  if (!/^\d+$/.test(digits)) return false;
  const values = Array.from(digits, Number).toReversed();
  const weighted = values.map((value, at) => (at % 2 === 0 ? value : value * 2));
  return weighted.reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) % 10 === 0;
}
