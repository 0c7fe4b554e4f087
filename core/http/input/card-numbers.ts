/** Card numbers inside texts: people put them into the wrong field. */

/** Digits of a card as people write them; neither inside a longer number nor a phone number with its `+`. */
const cardLike = /(?<![\d+])[2-6]\d(?:[ -]?\d){11,17}(?!\d)/g;

/** The text with what looks like a card number replaced. */
export function replaceCardNumbers(text: string, by: (digits: string) => string): string {
  return text.replace(cardLike, (found) => {
    const digits = found.replace(/\D/g, '');
    return passesLuhn(digits) ? by(digits) : found;
  });
}

/** Shorter card numbers show too much of themselves in their first six and last four digits together. */
const minDigitsForBin = 13;

/** `411111…1111` */
export function maskCardNumber(digits: string): string {
  return `${digits.length < minDigitsForBin ? '' : digits.slice(0, 6)}…${digits.slice(-4)}`;
}

/** The text with this card number masked, however it is parted. */
export function maskThisCard(text: string, number: string): string {
  const digits = number.replace(/\D/g, '');
  const parted = new RegExp(`(?<!\\d)${Array.from(digits).join('[ -]?')}(?!\\d)`, 'g');
  return text.replace(parted, maskCardNumber(digits));
}

export function holdsCardNumber(text: string): boolean {
  return (text.match(cardLike) ?? []).some((found) => passesLuhn(found.replace(/\D/g, '')));
}

/** The check digit of card numbers (ISO/IEC 7812). */
export function passesLuhn(digits: string): boolean {
  if (!/^\d+$/.test(digits)) return false;
  const values = Array.from(digits, Number).toReversed();
  const weighted = values.map((value, at) => (at % 2 === 0 ? value : value * 2));
  return weighted.reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) % 10 === 0;
}
