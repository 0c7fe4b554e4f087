/**
 * Formats and checks card numbers, months and codes as people type them. The page provides the brands in `data-brands`
 * of the number field.
 */

interface CardBrand {
  readonly name: string;
  /** A regular expression. */
  readonly prefix: string;
  readonly lengths: readonly number[];
  readonly groups: readonly number[];
  readonly cvv: number;
}

type FieldProblem = 'wrong' | 'expired' | undefined;

const anyBrand: CardBrand = { name: '', prefix: '', lengths: [], groups: [4, 4, 4, 4, 3], cvv: 0 };
const MAX_CARD_DIGITS = 19;
const MIN_CARD_DIGITS = 12;
/** Longer text is not read at all. */
const LONGEST_TYPED = 200;

function digitsOf(text: string): string {
  return text.replace(/\D/g, '').slice(0, MAX_CARD_DIGITS);
}

function brandOf(digits: string, brands: readonly CardBrand[]): CardBrand {
  return brands.find(({ prefix }) => new RegExp(prefix).test(digits)) ?? anyBrand;
}

function groupDigits(digits: string, groups: readonly number[]): string {
  const parts: string[] = [];
  let rest = digits;
  for (const size of groups) {
    if (rest === '') break;
    parts.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return [...parts, ...(rest ? [rest] : [])].join(' ');
}

/** Checks the check digit of ISO/IEC 7812. */
function isCheckedNumber(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .map((value, at) => ((digits.length - at) % 2 === 0 ? value * 2 : value))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return digits !== '' && sum % 10 === 0;
}

/** True if no digit can follow. The payer then sees a problem immediately, instead of when they leave the field. */
function isFullNumber(digits: string, { lengths }: CardBrand): boolean {
  return digits.length >= Math.max(...lengths, lengths.length > 0 ? 0 : MAX_CARD_DIGITS);
}

function numberProblem(digits: string, { lengths }: CardBrand): FieldProblem {
  const fits = lengths.length > 0 ? lengths.includes(digits.length) : digits.length >= MIN_CARD_DIGITS;
  return fits && isCheckedNumber(digits) ? undefined : 'wrong';
}

/** Formats `1`, `12/`, `12/30`. The slash is added automatically, except while the payer deletes. */
function writeExpiration(text: string, isTakingAway: boolean): string {
  const digits = text.replace(/\D/g, '');
  // No month but 05 starts with `5`.
  const whole = /^[2-9]/.test(digits) ? `0${digits}` : digits;
  const year = whole
    .slice(2)
    .replace(/^20(?=\d\d)/, '')
    .slice(0, 2);
  if (whole.length < 2 || (whole.length === 2 && isTakingAway)) return whole;
  return `${whole.slice(0, 2)}/${year}`;
}

/** A card is valid until the end of its month. */
function expirationProblem(text: string, now: Date): FieldProblem {
  if (text.length > LONGEST_TYPED) return 'wrong';
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\s*(?:\/\s*)?(?:20)?(\d\d)$/.exec(text.trim()) ?? [];
  if (month === '') return 'wrong';
  return Date.UTC(2000 + Number(year), Number(month)) <= now.getTime() ? 'expired' : undefined;
}

function cvvProblem(text: string, { cvv }: CardBrand): FieldProblem {
  return /^\d{3,4}$/.test(text) && (cvv === 0 || text.length === cvv) ? undefined : 'wrong';
}
