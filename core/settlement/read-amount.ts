/** Reads amounts of settlement files exactly, never through a float. */
import { fromMinor, isCurrency, readDecimal } from '@paywright/contract';
import type { Mapping } from './mapping.ts';
import { nothing, type Signed } from './signed.ts';

export type AmountUnit = Pick<Mapping, 'amountUnit' | 'decimalMark'>;

/** A longer cell is not read. */
const longestCell = 200;
/** A sign before or after the number, or brackets, as ledgers write debits. */
const signed = /^([-+−(]?)([^()]*?)([-)]?)$/;
/** Groups of three digits, separated by any mark other than the decimal mark. */
const grouped = {
  '.': /^\d{1,3}(?:[,'’ \u00a0\u202f]\d{3})+(?:\.\d+)?$|^\d+(?:\.\d+)?$/,
  ',': /^\d{1,3}(?:[.'’ \u00a0\u202f]\d{3})+(?:,\d+)?$|^\d+(?:,\d+)?$/,
} as const;

/** Reads a cell; an empty cell is 0. Returns a text with the problem and what to do if the cell is invalid. */
export function readAmount(cell: string, currency: string, { amountUnit, decimalMark }: AmountUnit): Signed | string {
  if (cell === '') return nothing;
  const [, before = '', inside = '', behind = ''] = (cell.length <= longestCell && signed.exec(cell)) || [];
  const digits = inside.trim();
  const isNegative = before === '-' || before === '−' || behind === '-' || (before === '(' && behind === ')');
  const isWhole = (before === '(') === (behind === ')') && !(before !== '' && behind === '-');
  if (!isWhole || !grouped[decimalMark].test(digits)) return howAmountsAre({ amountUnit, decimalMark });
  const plain = digits.replaceAll(decimalMark === '.' ? /[^\d.]/g : /[^\d,]/g, '').replace(',', '.');
  if (amountUnit === 'major') {
    const amount = readDecimal(plain);
    return amount === undefined ? 'has more than 18 decimals' : { isNegative, amount };
  }
  if (plain.includes('.')) return howAmountsAre({ amountUnit, decimalMark });
  if (!isCurrency(currency))
    return `is in minor units of ${currency}, which is not an ISO 4217 currency: its decimals are unknown`;
  return { isNegative, amount: readDecimal(fromMinor(plain, currency))! };
}

function howAmountsAre({ amountUnit, decimalMark }: AmountUnit): string {
  return amountUnit === 'minor'
    ? 'is not an amount in minor units (only digits): use amountUnit: major for amounts such as 25.90'
    : `is not an amount such as 1${decimalMark === '.' ? ',' : '.'}025${decimalMark}90: set decimalMark to the mark before the decimals`;
}
