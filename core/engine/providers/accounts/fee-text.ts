/** A fee as operators type it: the percentage, then the fixed parts, for example `1.4, 0.25 EUR, 0.30 USD`. */
import type { Fee } from '../load/load-adapters.ts';

/** Undefined: the text is not a fee. The amounts are checked together with the other settings of the account. */
export function readFee(text: string): Fee | undefined {
  const [percent = '', ...fixed] = text.split(',').map((part) => part.trim());
  const parts = fixed.map((part) => part.split(' ').filter((word) => word !== ''));
  if (parts.some((words) => words.length !== 2)) return undefined;
  return {
    percent,
    fixed: Object.fromEntries(parts.map(([amount = '', currency = '']) => [currency, amount] as const)),
  };
}

export function writeFee({ percent, fixed }: Fee): string {
  return [percent, ...Object.entries(fixed).map(([currency, amount]) => `${amount} ${currency}`)].join(', ');
}
