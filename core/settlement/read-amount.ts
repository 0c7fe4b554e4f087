/** Amounts as settlement files spell them, exactly; never through a float. */
import { fromMinor, isCurrency, readDecimal } from '@paywright/contract';
import type { Mapping } from './mapping.ts';
import { nothing, type Signed } from './signed.ts';

export type AmountUnit = Pick<Mapping, 'amountUnit' | 'decimalMark'>;

/** A sign before or behind, or brackets, as ledgers spell what is taken. */
const signed = /^([-+−(]?)\s*([^()]*?)\s*([-)]?)$/;
/** Groups of three digits, by what is no decimal mark. */
const grouped = {
  '.': /^\d{1,3}(?:[,'’ \u00a0\u202f]\d{3})+(?:\.\d+)?$|^\d+(?:\.\d+)?$/,
  ',': /^\d{1,3}(?:[.'’ \u00a0\u202f]\d{3})+(?:,\d+)?$|^\d+(?:,\d+)?$/,
} as const;

/** What a cell says; an empty one is 0. A text is what is wrong with it, and its cure. */
export function readAmount(cell: string, currency: string, { amountUnit, decimalMark }: AmountUnit): Signed | string {
  if (cell === '') return nothing;
  const [, before = '', digits = '', behind = ''] = signed.exec(cell) ?? [];
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
    return `is in minor units of ${currency}, which is no ISO 4217 currency: nobody knows its decimals`;
  return { isNegative, amount: readDecimal(fromMinor(plain, currency))! };
}

function howAmountsAre({ amountUnit, decimalMark }: AmountUnit): string {
  return amountUnit === 'minor'
    ? 'is no amount in minor units, digits alone: amountUnit: major is for amounts such as 25.90'
    : `is no amount such as 1${decimalMark === '.' ? ',' : '.'}025${decimalMark}90: decimalMark says which mark is before the decimals`;
}
