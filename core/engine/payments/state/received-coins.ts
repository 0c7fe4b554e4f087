/** Coins that arrived without paying. They belong to the payer until they are refunded or the rest arrives. */
import { addDecimals, compareDecimals, isAboveZero } from '@paywright/contract';
import { collectedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import type { Facts } from '../../../database/collections/payment-request.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import { refundedSum } from './derive-status.ts';
import { refundableOf } from './left-to-refund.ts';

type Received = Pick<Attempt, 'outcome' | 'received' | 'amount' | 'currency'>;

/** For operators: what arrived for attempts that it does not pay, and how much was due. Undefined: nothing. */
export function underpaidText(attempts: readonly Received[]): string | undefined {
  const texts = attempts
    .filter(isUnderpaid)
    .map(({ received, amount, currency }) => `${moneyText(received!, currency)} of ${moneyText(amount, currency)}`);
  return texts.length === 0 ? undefined : `Received ${texts.join(', ')}`;
}

/** The attempts whose coins arrived without paying them and are not refunded yet. */
export function heldCoins(record: Facts): readonly Attempt[] {
  return record.attempts.filter((attempt) => isUnderpaid(attempt) && isAboveZero(refundableOf(record, attempt)));
}

/** Like `heldCoins`, but a refund that has not succeeded yet changes nothing: it may still fail. */
export function unreturnedCoins(record: Facts): readonly Attempt[] {
  return record.attempts.filter(
    (attempt) => isUnderpaid(attempt) && compareDecimals(collectedAmount(attempt), refundedSum(record, attempt.n)) > 0,
  );
}

/** The sum of what providers report as received in coins. Null: nothing was reported. */
export function receivedSum(attempts: readonly Pick<Attempt, 'received'>[]): string | null {
  const amounts = attempts.flatMap(({ received }) => (received === null ? [] : [received]));
  return amounts.length > 0 ? addDecimals(...amounts) : null;
}

function isUnderpaid({ outcome, received, amount }: Received): boolean {
  if (outcome === 'succeeded' || !received || !isAboveZero(received)) return false;
  return compareDecimals(received, amount) < 0;
}
