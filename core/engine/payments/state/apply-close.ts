/**
 * What a provider's answer to our request to close an unpaid order adds to the facts. If another attempt is to replace
 * this one, the change that opens it applies the confirmation instead (`apply-replacement.ts`).
 */
import type { Outcome } from '@paywright/contract';
import { attemptOf, type Attempt, type OrderClose } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { applyCancel, applyExpire, applyReplace } from './apply-replacement.ts';
import { withAttempt, type FactResult, type NewLogEntry } from './fact-result.ts';

/** The answer to the request to close the order of an attempt. */
export interface CloseFact {
  readonly type: 'close_outcome';
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly at: Date;
}

/** `entryOf` makes the log entry of the change that the confirmation allows. */
export function applyClose(
  record: PaymentRecord,
  { attempt: n, outcome, at }: CloseFact,
  entryOf: (message: string) => NewLogEntry,
): FactResult {
  const attempt = attemptOf(record, n);
  if (!attempt?.close || !isBeingClosed(attempt)) return { kind: 'nothing', reason: 'no close is in progress' };
  const withState = (state: OrderClose['state'], message: string): FactResult => {
    const changed = { ...attempt, close: { ...attempt.close!, state } };
    const transactionId = attempt.providerReference ?? '';
    return {
      kind: 'added',
      facts: { attempts: withAttempt(record, changed) },
      log: { attempt: n, transactionId, transactionStatusId: 1, code: '', message },
    };
  };
  if (outcome.outcome !== 'succeeded')
    return withState('not_closed', `the order was not closed: ${whyNotClosed(outcome)}`);
  // The payer was faster: what became of the step is the provider's next answer.
  if (!waitsForPayer(attempt)) return withState('closed', 'the order was closed at the provider');
  switch (attempt.close.purpose) {
    case 'cancel':
      return applyCancel(record, { type: 'cancel', at, ends: n, isClosed: true }, entryOf('cancelled by the merchant'));
    case 'expire':
      return applyExpire(record, { type: 'expire', at, ends: n, isClosed: true }, entryOf('not paid in time'));
    case 'replace':
      return applyReplace(record, { type: 'replace', attempt: n, at, isClosed: true });
  }
}

/** Why the order is not closed, for people. */
export function whyNotClosed(outcome: Outcome): string {
  if (outcome.outcome === 'failed') return outcome.reason ?? outcome.declineText ?? 'the provider gave no reason';
  if (outcome.outcome === 'pending') return 'the provider has not decided yet';
  return (outcome.outcome === 'unknown' ? outcome.reason : undefined) ?? 'no readable answer';
}

/** True while the answer to our request is awaited. An event that the order ended is then no news. */
export function isBeingClosed({ outcome, close }: Attempt): boolean {
  return outcome === 'open' && close?.state === 'requested';
}

/**
 * True if nothing is in progress and nothing has arrived. A step that was taken, or a code that was sent, may charge
 * until its answer is known.
 */
export function waitsForPayer(attempt: Attempt): boolean {
  const { outcome, endedAt, unknown, authorisedAt, received, codesSent = 0, action, stepLost, steps } = attempt;
  const isTaken = steps.some(({ takenAt, doneAt }) => takenAt && !doneAt);
  if (outcome !== 'open' || endedAt === null || unknown || isTaken || codesSent > 0) return false;
  return authorisedAt === null && received === null && (action !== null || stepLost);
}
