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
