/** Amounts between Medusa and the gateway: exact decimals, never floats. */
import type { BigNumberInput } from '@medusajs/framework/types';
import { MathBN, MedusaError } from '@medusajs/framework/utils';

/**
 * The decimal text of an amount, with exactly the digits of its currency. Medusa computes totals with more digits than
 * a payer can pay (a third of a euro, a tax). Such a total is rounded half up, as Medusa rounds it when it compares.
 */
export function toAmount(amount: BigNumberInput, currency: string): string {
  const digits = digitsOf(currency);
  const value = MathBN.convert(amount, digits);
  if (!value.isFinite() || value.isNegative()) {
    throw new MedusaError(MedusaError.Types.INVALID_DATA, 'The amount is not a number of at least 0.');
  }
  return value.toFixed(digits);
}

/** 0 for JPY, 2 for EUR, 3 for KWD. */
function digitsOf(currency: string): number {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch (cause) {
    const text = `"${currency}" is not the code of a currency.`;
    throw Object.assign(new MedusaError(MedusaError.Types.INVALID_DATA, text), { cause });
  }
}

/** Compares decimal texts. */
export function isLess(amount: string, other: string): boolean {
  return MathBN.lt(amount, other);
}
