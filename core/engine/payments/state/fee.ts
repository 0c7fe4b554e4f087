/** The fee that the merchant pays for a payment, by the fees that config gives each account. */
import { addDecimals, compareDecimals, decimalsOf, multiplyDecimals } from '@paywright/contract';
import type { Fee } from '../../providers/load/load-adapters.ts';
import { chargedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import { accountRefOf, mainAccount } from '../../providers/account-ref.ts';

/** The fee of the paid amount, in the currency charged. */
export type FeeOf = (attempt: Attempt) => string;

interface Terms {
  readonly fee?: Fee | undefined;
}

/**
 * Percentage and fixed part by account: exact, rounded half up to the currency's decimals, and never more than was
 * paid. An account without a fee of its own has that of its adapter. `loaded` has the terms of accounts that config
 * does not list.
 */
export function createFeeOf(
  adapters: Readonly<Record<string, Terms & { readonly accounts?: Readonly<Record<string, Terms>> }>>,
  loaded: (ref: string) => Terms | undefined = () => undefined,
): FeeOf {
  return (attempt) => {
    const { adapter, account = mainAccount, currency } = attempt;
    const amount = chargedAmount(attempt);
    const terms = [loaded(accountRefOf(attempt)), adapters[adapter]?.accounts?.[account], adapters[adapter]];
    const fee = terms.map((one) => one?.fee).find((one) => one !== undefined);
    if (!fee) return '0';
    const rate = multiplyDecimals(fee.percent, '0.01', 18);
    const total = addDecimals(multiplyDecimals(amount, rate, decimalsOf(currency)), fee.fixed[currency] ?? '0');
    return compareDecimals(total, amount) > 0 ? amount : total;
  };
}
