/** Money as exact decimal text: no amount ever passes through a binary floating-point number. */
import { decimalsOf, hasDecimals } from './currencies.ts';

/**
 * An amount in major units, as plain decimal text without sign or exponent (`25.90`), with its ISO 4217 or coin code.
 */
export interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** Decimal places that any amount may have; crypto coins need 18. */
export const MAX_DECIMALS = 18;

const plain = /^(\d+)(?:\.(\d+))?$/;
/** The shortest spelling, which most amounts have. */
const shortest = /^(?:0|[1-9]\d{0,30})(?:\.\d{0,17}[1-9])?$/;
const spelled = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** The value of a plain decimal text as a whole number of 10^-18. Throws a RangeError for any other text. */
function toUnits(decimal: string): bigint {
  if (decimal === '0') return 0n; // The most frequent amount.
  const match = plain.exec(decimal);
  const fraction = match?.[2] ?? '';
  if (!match || withoutZeros(fraction).length > MAX_DECIMALS) throw new RangeError('not a plain decimal amount');
  return BigInt(match[1]! + fraction.slice(0, MAX_DECIMALS).padEnd(MAX_DECIMALS, '0'));
}

function fromUnits(value: bigint): string {
  if (value === 0n) return '0';
  const digits = value.toString().padStart(MAX_DECIMALS + 1, '0');
  const fraction = withoutZeros(digits.slice(-MAX_DECIMALS));
  return digits.slice(0, -MAX_DECIMALS) + (fraction && `.${fraction}`);
}

/** Longer text is not an amount. The limit also bounds the work that a hostile message can cause. */
const MAX_LENGTH = 400;

/**
 * True for text such as `25.9`: digits, with or without a point and more digits, and at most 18 significant decimals.
 */
export function isDecimal(text: string): boolean {
  return text.length <= MAX_LENGTH && plain.test(text) && withoutZeros(text.split('.')[1] ?? '').length <= MAX_DECIMALS;
}

/**
 * Reads a number as JSON spells it (`2.59E+1`, `25.90`) into plain decimal text (`25.9`), exactly. Undefined for text
 * that is not a number, is negative, or needs more than 18 decimals.
 */
export function readDecimal(text: string): string | undefined {
  if (shortest.test(text)) return text;
  const match = text.length <= MAX_LENGTH ? spelled.exec(text) : undefined;
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0');
  const at = Math.max(point, 1);
  const decimal = trimDecimal(padded.slice(0, at) + '.' + padded.slice(at));
  if ((sign === '-' && decimal !== '0') || !isDecimal(decimal)) return undefined;
  return decimal;
}

/** Removes trailing zeros in one pass; a regular expression would take time quadratic in their number. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** The shortest spelling of a plain decimal: `025.900` becomes `25.9`. */
export function trimDecimal(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const decimals = withoutZeros(fraction);
  return (whole.replace(/^0+(?=\d)/, '') || '0') + (decimals && `.${decimals}`);
}

/** Compares by value: -1 for less, 0 for equal (`25.9` equals `25.90`), 1 for greater. */
export function compareDecimals(left: string, right: string): -1 | 0 | 1 {
  const [a, b] = [toUnits(left), toUnits(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** True for a value above 0, in any spelling. */
export function isAboveZero(decimal: string): boolean {
  return toUnits(decimal) > 0n;
}

/** The exact sum of plain decimal texts; `0` without any. */
export function addDecimals(...amounts: readonly string[]): string {
  return fromUnits(amounts.reduce((sum, amount) => sum + toUnits(amount), 0n));
}

/** `left - right`; a result below zero gives `0`, because amounts of money here are never negative. */
export function subtractDecimals(left: string, right: string): string {
  const difference = toUnits(left) - toUnits(right);
  return fromUnits(difference > 0n ? difference : 0n);
}

/** `left * right`, rounded half up to `decimals` places. */
export function multiplyDecimals(left: string, right: string, decimals: number): string {
  const scale = 10n ** BigInt(2 * MAX_DECIMALS - decimals);
  const product = (toUnits(left) * toUnits(right) + scale / 2n) / scale;
  return fromUnits(product * 10n ** BigInt(MAX_DECIMALS - decimals));
}

/** `left / right`, rounded to `decimals` places, half up by default. Throws a RangeError for a divisor of 0. */
export function divideDecimals(
  left: string,
  right: string,
  decimals: number,
  rounding: 'half_up' | 'down' = 'half_up',
): string {
  const divisor = toUnits(right);
  if (divisor === 0n) throw new RangeError('nothing is divided by 0');
  const scale = 10n ** BigInt(decimals);
  const half = rounding === 'half_up' ? divisor : 0n;
  const quotient = (toUnits(left) * scale * 2n + half) / (divisor * 2n);
  return fromUnits(quotient * 10n ** BigInt(MAX_DECIMALS - decimals));
}

/** True if the currency can express the amount: it has no digit other than 0 beyond the currency's decimals. */
export function fitsCurrency({ amount, currency }: Money): boolean {
  return (trimDecimal(amount).split('.')[1] ?? '').length <= decimalsOf(currency);
}

/**
 * Formats an amount with exactly the decimals of its currency (`25.90` EUR, `2590` JPY), and with more only for digits
 * other than 0. Throws a RangeError if the amount is not a plain decimal.
 */
export function formatAmount({ amount, currency }: Money): string {
  if (!isDecimal(amount)) throw new RangeError('not a plain decimal amount');
  const [whole = '0', fraction = ''] = trimDecimal(amount).split('.');
  const decimals = decimalsOf(currency);
  const padded = fraction.padEnd(decimals, '0');
  return padded ? `${whole}.${padded}` : whole;
}

/** Money with the amount formatted by `formatAmount`. */
export function formatMoney(amount: string, currency: string): Money {
  return { amount: formatAmount({ amount, currency }), currency };
}

/**
 * Reads money that a message spells as decimal text, with or without trailing zeros. Undefined if a member is missing
 * or has another form, or if the text has more decimals than the currency. A code with unknown decimals keeps the text,
 * for core to compare.
 */
export function readMoney(amount: string | undefined, currency: string | undefined): Money | undefined {
  if (amount === undefined || currency === undefined) return undefined;
  if (!/^[A-Z]{3}$/.test(currency) || !isDecimal(amount)) return undefined;
  if (!hasDecimals(currency)) return { amount, currency };
  const decimals = amount.split('.')[1]?.length ?? 0;
  return decimals > decimalsOf(currency) ? undefined : formatMoney(amount, currency);
}

/**
 * The amount in the currency's minor units, as digits (25.90 EUR is `2590`). Throws a RangeError if the currency cannot
 * express the amount.
 */
export function toMinor(money: Money): string {
  if (!fitsCurrency(money)) throw new RangeError(`${money.currency} has ${decimalsOf(money.currency)} decimals`);
  const [whole = '0', fraction = ''] = formatAmount(money).split('.');
  return (whole + fraction).replace(/^0+(?=\d)/, '');
}

/**
 * Converts minor units (digits) to major units with exactly the currency's decimals: `2590` EUR is `25.90`. An unknown
 * currency counts as having two decimals; core's comparison refuses it.
 */
export function fromMinor(minor: string | bigint | number, currency: string): string {
  const digits = String(minor);
  if (!/^\d+$/.test(digits)) throw new RangeError('minor units are digits');
  return shiftDecimal(digits, decimalsOf(currency), currency);
}

/** Like `fromMinor`, with the currency. */
export function moneyFromMinor(minor: string | bigint | number, currency: string): Money {
  return { amount: fromMinor(minor, currency), currency };
}

/** `digits` × 10^-`places`, formatted like `formatAmount`. */
export function shiftDecimal(digits: string, places: number, currency: string): string {
  const padded = digits.padStart(places + 1, '0');
  const amount = places ? `${padded.slice(0, -places)}.${padded.slice(-places)}` : padded;
  return formatAmount({ amount, currency });
}

/**
 * True if the currencies are the same and the amounts are equal by value. Throws a RangeError if an amount is not a
 * plain decimal.
 */
export function isSameMoney(one: Money, other: Money): boolean {
  return one.currency === other.currency && compareDecimals(one.amount, other.amount) === 0;
}

/** True if the currency exists and the amount is spelled with exactly its decimals (`25.90` EUR, `1500` JPY). */
export function isExactAmount(money: Money): boolean {
  const { amount, currency } = money;
  return hasDecimals(currency) && isDecimal(amount) && fitsCurrency(money) && formatAmount(money) === amount;
}
