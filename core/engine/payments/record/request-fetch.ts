import { attemptOf } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/** Requests a status fetch for the attempt, or for one refund or dispute case of it. */
export function requestFetch(record: PaymentRecord, n: number, subject = ''): PaymentRecord {
  const attempts = record.attempts.map((attempt) =>
    attempt.n === n
      ? {
          ...attempt,
          fetchesRequested: attempt.fetchesRequested + 1,
          fetchFailures: 0,
          fetchSubjects: [...new Set([...attempt.fetchSubjects, subject])].slice(-20),
        }
      : attempt,
  );
  return { ...record, attempts };
}

/**
 * Requests a fetch if the checks of the attempt are over, because its step is sent to the provider after all. Otherwise
 * nothing would ask for the result if the answer is lost.
 */
export function resumeChecks(record: PaymentRecord, n: number): PaymentRecord {
  return attemptOf(record, n)?.needsReview ? requestFetch(record, n) : record;
}
