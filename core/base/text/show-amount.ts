/** Formats amounts for payers, as their language writes them. */
import { isCurrency, isDecimal } from '@paywright/contract';

/**
 * Formats an amount digit for digit, with the decimals that it is spelled with: `25.90` EUR is `€25.90` in English. A
 * unit that is not a currency follows the number. `locale` is a BCP 47 tag.
 */
export function showAmount(locale: string, amount: string, unit: string): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  if (!isExact(amount)) return `${amount} ${unit}`;
  // As `Intl` does for currencies: the number comes first for right-to-left readers even if the unit is Latin.
  const mark = locale.startsWith('ar') ? '\u200F' : '';
  if (!isCurrency(unit)) return `${mark}${new Intl.NumberFormat(locale, decimals).format(amount)} ${unit}`;
  return new Intl.NumberFormat(locale, { ...decimals, style: 'currency', currency: unit }).format(amount);
}

/** `Intl` formats decimal text exactly, without converting it to a double. */
function isExact(amount: string): amount is `${number}` {
  return isDecimal(amount);
}
