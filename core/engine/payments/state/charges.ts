/** The charges of a payment. A payment has more than one if several of its attempts were charged. */
import { isAboveZero } from '@paywright/contract';
import { collectedAmount, type Attempt } from '../../../database/collections/attempt.ts';

/**
 * The attempts that brought money, in the order in which they were charged: charge 1 first. Coins that arrived without
 * paying an attempt come last.
 */
export function chargesOf({ attempts }: { readonly attempts: readonly Attempt[] }): Attempt[] {
  return attempts
    .filter((attempt) => isCharged(attempt) || isAboveZero(collectedAmount(attempt)))
    .toSorted(
      (one, other) =>
        Number(isCharged(other)) - Number(isCharged(one)) ||
        (one.settledAt?.getTime() ?? 0) - (other.settledAt?.getTime() ?? 0) ||
        one.n - other.n,
    );
}

/** The attempt that paid the payment; undefined: none did. */
export function payingAttempt(record: { readonly attempts: readonly Attempt[] }): Attempt | undefined {
  return chargesOf(record).find(isCharged);
}

function isCharged({ outcome }: Attempt): boolean {
  return outcome === 'succeeded';
}
