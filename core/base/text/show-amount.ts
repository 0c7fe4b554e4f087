/** Amounts as a language writes them. */
import { isCurrency, isDecimal } from '@paywright/contract';

/**
 * An amount digit for digit, with the decimals that it is spelled with: `25.90` EUR is `€25.90` in English. A unit that is
 * no currency comes behind the number. `locale` is a BCP 47 tag.
 */
export function showAmount(locale: string, amount: string, unit: string): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  if (!isExact(amount)) return `${amount} ${unit}`;
  // As `Intl` does for currencies: the number is read first also where its unit is Latin.
  const mark = locale.startsWith('ar') ? '\u200F' : '';
  if (!isCurrency(unit)) return `${mark}${new Intl.NumberFormat(locale, decimals).format(amount)} ${unit}`;
  return new Intl.NumberFormat(locale, { ...decimals, style: 'currency', currency: unit }).format(amount);
}

/** `Intl` takes decimal text exactly, without a detour by a double. */
function isExact(amount: string): amount is `${number}` {
  return isDecimal(amount);
}
