/** Payments that succeeded without the 3D Secure that was demanded: paid all the same, said in the log, and an alarm. */
import { attemptOf, lacksThreeDs, type Attempt } from '../../documents/attempt.ts';
import type { PaymentRecord } from '../../documents/payment-request.ts';

/** The attempts of which that is known since this change. */
export function newlyLackingThreeDs(after: PaymentRecord, before: PaymentRecord | undefined): readonly Attempt[] {
  return after.attempts.filter((attempt) => {
    const earlier = before && attemptOf(before, attempt.n);
    return lacksThreeDs(attempt) && !(earlier && lacksThreeDs(earlier));
  });
}
