/** Which attempts of a payment a change affects. */
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

type Attempts = Pick<PaymentRecord, 'attempts'>;

/** Attempts for which `holds` is true after the change and was not true before it. */
export function attemptsChanged(
  after: Attempts,
  before: Attempts | undefined,
  holds: (attempt: Attempt) => boolean,
): readonly Attempt[] {
  return after.attempts.filter((attempt) => {
    const earlier = before && attemptOf(before, attempt.n);
    return holds(attempt) && !(earlier && holds(earlier));
  });
}

/** Attempts to which the change gave an outcome, or another outcome than before. */
export function attemptsWithNewOutcome({ attempts }: Attempts, before: Attempts | undefined): readonly Attempt[] {
  if (attempts === before?.attempts) return [];
  return attempts.filter(
    ({ n, outcome }) => outcome !== 'open' && outcome !== before?.attempts.find((one) => one.n === n)?.outcome,
  );
}
