/**
 * Payments that succeeded without the 3D Secure that was demanded. They stay paid; the log says so, and an alarm is
 * raised.
 */
import { lacksThreeDs, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { attemptsChanged } from '../record/attempts-changed.ts';

/** The attempts for which that is known since this change. */
export function attemptsLackingThreeDs(after: PaymentRecord, before: PaymentRecord | undefined): readonly Attempt[] {
  return attemptsChanged(after, before, lacksThreeDs);
}
