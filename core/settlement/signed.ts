/** Decimal text with a sign: the credits and debits of a file. Amounts of the contract are never negative. */
import { addDecimals, compareDecimals, subtractDecimals } from '@paywright/contract';

export interface Signed {
  readonly isNegative: boolean;
  /** Plain decimal text. */
  readonly amount: string;
}

export const nothing: Signed = { isNegative: false, amount: '0' };

export function negated({ isNegative, amount }: Signed): Signed {
  return { isNegative: !isNegative, amount };
}

export function addSigned(one: Signed, other: Signed): Signed {
  if (one.isNegative === other.isNegative)
    return { isNegative: one.isNegative, amount: addDecimals(one.amount, other.amount) };
  const isOneLarger = compareDecimals(one.amount, other.amount) >= 0;
  const [larger, smaller] = isOneLarger ? [one, other] : [other, one];
  return { isNegative: larger.isNegative, amount: subtractDecimals(larger.amount, smaller.amount) };
}
