/** The fee that the merchant pays for a payment, by the fees that config gives each adapter. */
import { addDecimals, compareDecimals, decimalsOf, multiplyDecimals } from '@paywright/contract';
import { chargedAmount, type Attempt } from '../../../database/collections/attempt.ts';

/** The fee of the paid amount, in the currency charged. */
export type FeeOf = (attempt: Attempt) => string;

export interface Fee {
  /** Decimal text. */
  readonly percent: string;
  /** Decimal text by currency. */
  readonly fixed: Readonly<Record<string, string>>;
}

/**
 * Percentage and fixed part by adapter: exact, rounded half up to the currency's decimals, and never more than was
 * paid.
 */
export function createFeeOf(adapters: Readonly<Record<string, { readonly fee?: Fee | undefined }>>): FeeOf {
  return (attempt) => {
    const { adapter, currency } = attempt;
    const amount = chargedAmount(attempt);
    const fee = adapters[adapter]?.fee;
    if (!fee) return '0';
    const rate = multiplyDecimals(fee.percent, '0.01', 18);
    const total = addDecimals(multiplyDecimals(amount, rate, decimalsOf(currency)), fee.fixed[currency] ?? '0');
    return compareDecimals(total, amount) > 0 ? amount : total;
  };
}
