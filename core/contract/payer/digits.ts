/**
 * Digits as people type them. Keyboards for Arabic, Persian, Hindi and other languages type their own digits, and
 * Chinese and Japanese keyboards type full-width ones.
 */

const otherDigit = /(?![0-9])\p{Nd}/gu;
const digit = /^\p{Nd}$/u;
const ascii = /^\p{ASCII}*$/u;

/** Converts every decimal digit of Unicode (category Nd) to `0`–`9`, and the full-width `＋` and `／` to `+` and `/`. */
export function toAsciiDigits(text: string): string {
  if (ascii.test(text)) return text; // Most texts are, and this check is cheap.
  return text.replaceAll(otherDigit, toAsciiDigit).replaceAll('＋', '+').replaceAll('／', '/');
}

/**
 * Unicode assigns decimal digits in contiguous runs from zero to nine (chapter 4.6, Numeric Value), so the distance to
 * the start of the run tells the value. A table of scripts would miss those that Unicode adds later.
 */
function toAsciiDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let start = code;
  while (digit.test(String.fromCodePoint(start - 1))) start -= 1;
  return String((code - start) % 10);
}

/** Removes white space and invisible characters, such as the direction marks that right-to-left texts contain. */
export function withoutBlanks(text: string): string {
  return text.replaceAll(/[\s\p{Cf}]/gu, '');
}

/** True for absent text, and for text of blanks alone. */
export function isBlank(text: string | null | undefined): boolean {
  return withoutBlanks(text ?? '') === '';
}

/** The digits of a one-time code or a security code: `٢٤٦ ٨١٠` is `246810`. Letters stay. */
export function readCode(text: string): string {
  return withoutBlanks(toAsciiDigits(text));
}
