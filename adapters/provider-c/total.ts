/** C's totals: text in major units, for an account of one currency. */
import { decimalsOf, fitsCurrency, formatAmount, readAmount, trimDecimal, v, type Money } from '@gateway/contract';

const MAX_WHOLE_DIGITS = 15;

/** True where C can write the amount: at most 15 digits before the point, and what its currency can express. */
export function fitsTotal(money: Money): boolean {
  return isShort(money.amount) && fitsCurrency(money);
}

function isShort(decimal: string): boolean {
  return trimDecimal(decimal).split('.')[0]!.length <= MAX_WHOLE_DIGITS;
}

/** What the merchant's body may ask for; decimals are core's to judge. */
export const Bounds = v.looseObject({
  amount: v.optional(
    v.custom((given) => {
      const amount = readAmount(given);
      return amount === undefined || isShort(amount);
    }, `an amount of at most ${MAX_WHOLE_DIGITS} digits before the point`),
  ),
});

/**
 * A total as received, spelled as its currency is. C may write fewer decimals than the currency has, or zeros beyond
 * them; undefined for any other digit there, and for what is no total.
 */
export function readTotal(total: string, currency: string): string | undefined {
  if (!/^\d{1,15}(\.\d{1,10})?$/.test(total)) return undefined;
  const beyond = (total.split('.')[1] ?? '').slice(decimalsOf(currency));
  return /[1-9]/.test(beyond) ? undefined : formatAmount({ amount: total, currency });
}
