/** Formats and checks card numbers, months and codes as people type them. */

type FieldProblem = 'wrong' | 'expired' | undefined;

const unknownBrand = { name: '', groups: [4, 4, 4, 4, 3], longest: 19 } as const;
type ShownBrand = Pick<NonNullable<ReturnType<typeof cardBrandOf>>, 'name' | 'groups' | 'longest'>;

function digitsOf(text: string): string {
  return toAsciiDigits(text).replace(/\D/g, '');
}

function brandOf(digits: string): ShownBrand {
  return cardBrandOf(digits) ?? unknownBrand;
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

/** Accepts what the gateway accepts. Brands decide nothing, because their ranges change and are shared. */
function numberProblem(digits: string): FieldProblem {
  return digits.length >= 8 && digits.length <= 19 && passesLuhn(digits) ? undefined : 'wrong';
}

/**
 * Formats a month while it is typed: `12` is `12/`, `5` is `05/`, and `1/`, `13` are in January. Text that may still
 * become another month stays as typed, such as `1`, and `20` of `2030-01`. So does all text while the payer deletes.
 */
function writeExpiration(text: string, isTakingAway: boolean, language = 'en'): string {
  const typed = toAsciiDigits(text);
  if (isTakingAway) return typed.replace(/\/$/, '');
  // 2030-1 may become 2030-12.
  if (/^\s*20\d\d\D+1\s*$/.test(typed)) return typed;
  const expiry = readExpiry(typed, language);
  if (expiry) return writeExpiry(expiry);
  const [, month = '', year = ''] =
    /^(0[1-9]|1[0-2]|[1-9](?=[-./ ])|[3-9]|1(?=[3-9])|2(?=[1-9]))[-./ ]*(\d{0,3})$/.exec(typed) ?? [];
  return month === '' ? typed : `${month.padStart(2, '0')}/${year}`;
}

function expirationProblem(text: string, now: Date, language = 'en'): FieldProblem {
  const expiry = readExpiry(text, language);
  if (!expiry) return 'wrong';
  return isExpired(expiry, now) ? 'expired' : undefined;
}

function cvvProblem(text: string): FieldProblem {
  return /^\d{3,4}$/.test(readCode(text)) ? undefined : 'wrong';
}
