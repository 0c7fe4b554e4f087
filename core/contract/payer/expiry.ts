/** The month to which a card is valid, in the spellings that people and browsers use. */
import { toAsciiDigits } from './digits.ts';

export interface Expiry {
  /** Two digits, `01` to `12`. */
  readonly month: string;
  /** Four digits, from `2000`. */
  readonly year: string;
}

/** Longer than any spelling of a month. */
const maxLength = 200;

/**
 * Reads `1/30`, `01/30`, `01/2030`, `01-30`, `01.30`, `01 30`, `0130`, `130`, `012030`, `2030-01`, `203001` and
 * `January 2030` as January 2030. Names of months are read in English and in `language`. Undefined for text that names
 * no month, or that may mean more than one.
 */
export function readExpiry(text: string, language = 'en'): Expiry | undefined {
  if (text.length > maxLength) return undefined;
  const given = toAsciiDigits(text)
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
  const parts = withMonthNumber(given, language).split(/[^\p{L}\p{M}\p{N}]+|[年月년월]/u);
  const [first = '', second = '', ...others] = parts.filter((part) => part !== '');
  if (others.length > 0 || !/^\d+$/.test(first + second)) return undefined;
  return second === '' ? readDigits(first) : toExpiry(first, second);
}

function toExpiry(first: string, second: string): Expiry | undefined {
  const [month, year] = first.length === 4 ? [second, first] : [first, second];
  if (!/^(0?[1-9]|1[0-2])$/.test(month) || !/^(20)?\d\d$/.test(year)) return undefined;
  return { month: month.padStart(2, '0'), year: year.padStart(4, '20') };
}

/** Reads digits without a separator. A year of four digits starts with `20`, and a month never does. */
function readDigits(digits: string): Expiry | undefined {
  if (/^20\d{4}$/.test(digits)) return toExpiry(digits.slice(0, 4), digits.slice(4));
  // `112` may mean 1/12, or be the start of 11/20.
  if (digits.length === 3 && !/^(?:1[3-9]|2[1-9]|[3-9])/.test(digits)) return undefined;
  const yearLength = digits.length > 4 ? 4 : 2;
  return toExpiry(digits.slice(0, -yearLength), digits.slice(-yearLength));
}

/** Replaces the name of a month by its number. */
function withMonthNumber(text: string, language: string): string {
  const [name] = /\p{L}[\p{L}\p{M}.]*/u.exec(text) ?? [];
  if (name === undefined) return text;
  const plain = plainName(name);
  const month = monthNames(language).findIndex((names) => names.includes(plain)) + 1;
  // Spanish and Portuguese put `de` between month and year.
  return month === 0 ? text : text.replace(name, ` ${month} `).replace(' de ', ' ');
}

/** The long and short names of the twelve months. */
function monthNames(language: string): string[][] {
  const formats = ['en', language].flatMap((locale) =>
    (['long', 'short'] as const).map((month) => new Intl.DateTimeFormat(locale, { month, timeZone: 'UTC' })),
  );
  return Array.from({ length: 12 }, (_, at) => formats.map((format) => plainName(format.format(Date.UTC(2026, at)))));
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll('.', '');
}

/**
 * True once the month is over everywhere. A card names no time zone and is valid to the last day of its month, so the
 * last zone on earth (UTC−12) decides.
 */
export function isExpired({ month, year }: Expiry, now: Date): boolean {
  return now.getTime() >= Date.UTC(Number(year), Number(month), 1, 12);
}

/** The spelling of the interface, `MM/YY`. */
export function writeExpiry({ month, year }: Expiry): string {
  return `${month}/${year.slice(-2)}`;
}
