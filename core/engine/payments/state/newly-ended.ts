import type { Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/** Attempts that this change gave an outcome, or another one. */
export function newlyEnded(
  { attempts }: Pick<PaymentRecord, 'attempts'>,
  before: Pick<PaymentRecord, 'attempts'> | undefined,
): readonly Attempt[] {
  if (attempts === before?.attempts) return [];
  return attempts.filter(
    ({ n, outcome }) => outcome !== 'open' && outcome !== before?.attempts.find((one) => one.n === n)?.outcome,
  );
}
