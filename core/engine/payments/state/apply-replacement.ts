/**
 * Ends an attempt whose step the payer left: another attempt or the merchant's cancellation replaces it. The caller has
 * checked that this is allowed (`submit/unfinished-step.ts`). A success that the provider reports later still counts.
 */
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { withAttempt, type FactResult, type NewLogEntry } from './fact-result.ts';

export interface ReplaceFact {
  readonly type: 'replace';
  /** The number of the attempt that ends. */
  readonly attempt: number;
  /** The attempt that begins in the same change. */
  readonly by: Attempt;
  readonly at: Date;
}

export interface CancelFact {
  readonly type: 'cancel';
  readonly at: Date;
  /** The number of the open attempt that ends with the cancellation; absent: none is open. */
  readonly ends?: number;
}

export function applyReplace(record: PaymentRecord, { attempt: n, by, at }: ReplaceFact): FactResult {
  const attempt = attemptOf(record, n);
  if (attempt?.outcome !== 'open') return { kind: 'nothing', reason: 'the attempt has ended' };
  return {
    kind: 'added',
    facts: { attempts: [...withAttempt(record, replaced(attempt, at)), by] },
    log: entryOf(attempt, 'the payer left the step; another attempt replaces it'),
  };
}

export function applyCancel(record: PaymentRecord, { at, ends }: CancelFact, entry: NewLogEntry): FactResult {
  if (record.cancelledAt) return { kind: 'nothing', reason: 'cancelled already' };
  const attempt = ends === undefined ? undefined : attemptOf(record, ends);
  if (attempt?.outcome !== 'open') return { kind: 'added', facts: { cancelledAt: at }, log: entry };
  return {
    kind: 'added',
    facts: { cancelledAt: at, attempts: withAttempt(record, replaced(attempt, at)) },
    log: entryOf(attempt, entry.message),
  };
}

/** It fails without a decline: no provider refused it. */
function replaced(attempt: Attempt, at: Date): Attempt {
  return { ...attempt, outcome: 'failed', action: null, stepLost: false, settledAt: at, replacedAt: at };
}

function entryOf({ n, providerReference }: Attempt, message: string): NewLogEntry {
  return { attempt: n, transactionId: providerReference ?? '', transactionStatusId: 3, code: '', message };
}
