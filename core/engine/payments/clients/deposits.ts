/** What payments add to the deposits of their client, as pure functions: exact, and the same in every order. */
import { addDecimals, compareDecimals, subtractDecimals } from '@paywright/contract';
import type { Deposit, DepositSum, DepositSums } from '../../../database/collections/deposit.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/** What one payment added before, and what it adds now. */
export interface DepositChange {
  readonly before: Deposit | null;
  readonly after: Deposit | null;
}

/** Null: nothing was paid. */
export function depositOf({
  paidAmount,
  paidCurrency,
  refundedAmount,
}: Pick<PaymentRecord, 'paidAmount' | 'paidCurrency' | 'refundedAmount'>): Deposit | null {
  if (paidAmount === null || paidCurrency === null) return null;
  return { currency: paidCurrency, paid: paidAmount, refunded: refundedAmount };
}

export function isSameDeposit(one: Deposit | null, other: Deposit | null): boolean {
  if (!one || !other) return one === other;
  return (
    one.currency === other.currency &&
    compareDecimals(one.paid, other.paid) === 0 &&
    compareDecimals(one.refunded, other.refunded) === 0
  );
}

/** The sums after the changes. `sums` includes the `before` of each change. */
export function changeSums(sums: DepositSums, changes: readonly DepositChange[]): DepositSums {
  const changed = currenciesOf(changes).map((currency) => {
    const { paid, refunded } = sums[currency] ?? { paid: '0', refunded: '0' };
    const { after, before } = sumsOf(changes, currency);
    const sum: DepositSum = {
      paid: subtractDecimals(addDecimals(paid, after.paid), before.paid),
      refunded: subtractDecimals(addDecimals(refunded, after.refunded), before.refunded),
    };
    return [currency, sum] as const;
  });
  return { ...sums, ...Object.fromEntries(changed) };
}

/** The change of the sums: decimal text, negative if the sums decrease. */
export function incrementsOf(changes: readonly DepositChange[]): DepositSums {
  const increments = currenciesOf(changes).map((currency) => {
    const { after, before } = sumsOf(changes, currency);
    const sum = { paid: difference(after.paid, before.paid), refunded: difference(after.refunded, before.refunded) };
    return [currency, sum] as const;
  });
  return Object.fromEntries(increments);
}

function currenciesOf(changes: readonly DepositChange[]): string[] {
  const named = changes.flatMap(({ before, after }) => [before, after]).flatMap((one) => one?.currency ?? []);
  return [...new Set(named)];
}

function sumsOf(changes: readonly DepositChange[], currency: string): Record<'before' | 'after', DepositSum> {
  const sum = (side: 'before' | 'after'): DepositSum => {
    const all = changes.flatMap((change) => (change[side]?.currency === currency ? change[side] : []));
    return {
      paid: addDecimals(...all.map(({ paid }) => paid)),
      refunded: addDecimals(...all.map((one) => one.refunded)),
    };
  };
  return { before: sum('before'), after: sum('after') };
}

function difference(left: string, right: string): string {
  return compareDecimals(left, right) < 0 ? `-${subtractDecimals(right, left)}` : subtractDecimals(left, right);
}
