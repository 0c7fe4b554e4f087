import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

type Attempts = Pick<PaymentRecord, 'attempts'>;

/** The attempts of which it holds since this change. */
export function newly(
  after: Attempts,
  before: Attempts | undefined,
  holds: (attempt: Attempt) => boolean,
): readonly Attempt[] {
  return after.attempts.filter((attempt) => {
    const earlier = before && attemptOf(before, attempt.n);
    return holds(attempt) && !(earlier && holds(earlier));
  });
}
