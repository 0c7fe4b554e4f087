/** Amounts with a limited number of digits in minor units, for providers that count in minor units. */
import * as v from 'valibot';
import { isCurrency } from './currencies.ts';
import { fitsCurrency, readDecimal, toMinor, type Money } from './money.ts';

/** Minor units; undefined for an amount that the currency cannot express, or that has more than `maxDigits`. */
export function readMinor(money: Money, maxDigits: number): string | undefined {
  try {
    const minor = toMinor(money);
    return minor.length <= maxDigits ? minor : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Priced {
  readonly amount?: unknown;
  readonly unit?: unknown;
}

/**
 * For a manifest's `bounds`: refuses an amount that the provider cannot charge, although the currency can express it.
 * `reasonOf` gives the reason for the merchant; undefined if the provider can charge the amount. `currencyOf` gives the
 * currency of a unit, for a provider whose unit is not the currency itself.
 */
export function amountBound<T extends Priced>(
  reasonOf: (money: Money) => string | undefined,
  currencyOf: (unit: string) => string | undefined = (unit) => unit,
): v.RawCheckAction<T> {
  return v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { amount, unit } = dataset.value;
    const decimal = readAmount(amount);
    const currency = typeof unit === 'string' ? currencyOf(unit) : undefined;
    if (decimal === undefined || currency === undefined || !isCurrency(currency)) return;
    // Core refuses decimals that the currency lacks, with its own text.
    const money = { amount: decimal, currency };
    const message = fitsCurrency(money) ? reasonOf(money) : undefined;
    if (message === undefined) return;
    // The issue names only the amount, because the body around it may hold a card.
    addIssue({
      message,
      input: amount,
      path: [{ type: 'object', origin: 'value', input: { amount }, key: 'amount', value: amount }],
    });
  });
}

/**
 * For a manifest's `bounds`: refuses an amount with more digits in minor units.
 *
 * @deprecated Will be removed in 3.0. Set `maxMinorDigits` in the manifest.
 */
export function minorBound<T extends Priced>(
  maxDigits: number,
  currencyOf?: (unit: string) => string | undefined,
): v.RawCheckAction<T> {
  return amountBound(
    (money) =>
      readMinor(money, maxDigits) === undefined ? `an amount of at most ${maxDigits} digits in minor units` : undefined,
    currencyOf,
  );
}

/**
 * The amount in a merchant's body as plain decimal text, whichever way its number was read; undefined if there is none.
 */
export function readAmount(amount: unknown): string | undefined {
  if (typeof amount === 'object' && amount && 'text' in amount) return readDecimal(String(amount.text));
  return typeof amount === 'number' || typeof amount === 'string' ? readDecimal(String(amount)) : undefined;
}
