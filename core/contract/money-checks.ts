/** What messages are asked about the money in them. */
import { hasDecimals } from './currencies.ts';
import { compareDecimals, fitsCurrency, formatAmount, isDecimal, type Money } from './money.ts';

/** The same sum: one currency, and amounts that are equal by value. A RangeError where one is no plain decimal. */
export function isSameMoney(one: Money, other: Money): boolean {
  return one.currency === other.currency && compareDecimals(one.amount, other.amount) === 0;
}

/** True where the currency exists, and the amount is spelled with exactly its decimals (`25.90` EUR, `1500` JPY). */
export function isExactAmount(money: Money): boolean {
  const { amount, currency } = money;
  return hasDecimals(currency) && isDecimal(amount) && fitsCurrency(money) && formatAmount(money) === amount;
}
