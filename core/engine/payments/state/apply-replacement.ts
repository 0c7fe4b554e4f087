/**
 * Ends an attempt whose step the payer left: another attempt or the merchant's cancellation replaces it, or the payment
 * expires. The caller has checked that this is allowed (`submit/unfinished-step.ts`). A success that the provider
 * reports later still counts.
 */
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { withAttempt, type FactResult, type NewLogEntry } from './fact-result.ts';

export interface ReplaceFact {
  readonly type: 'replace';
  /** The number of the attempt that ends. */
  readonly attempt: number;
  /** The attempt that begins in the same change. Absent: the process that wanted to begin it died. */
  readonly by?: Attempt;
  readonly at: Date;
  /** The provider confirmed that the order is closed. */
  readonly isClosed?: boolean;
}

export interface CancelFact {
  readonly type: 'cancel';
  readonly at: Date;
  /** The number of the open attempt that ends with the cancellation; absent: none is open. */
  readonly ends?: number;
  readonly isClosed?: boolean;
}

export interface ExpireFact {
  readonly type: 'expire';
  readonly at: Date;
  /** The number of the open attempt that ends with the payment; absent: the payment was never submitted. */
  readonly ends?: number;
  readonly isClosed?: boolean;
}

export function applyReplace(record: PaymentRecord, { attempt: n, by, at, isClosed }: ReplaceFact): FactResult {
  const attempt = attemptOf(record, n);
  if (attempt?.outcome !== 'open') return { kind: 'nothing', reason: 'the attempt has ended' };
  const follows = by ? '; another attempt replaces it' : '';
  return {
    kind: 'added',
    facts: { attempts: [...withAttempt(record, endedAttempt(attempt, 'failed', at, isClosed)), ...(by ? [by] : [])] },
    log: entryOf(attempt, `the payer left the step${isClosed ? closedText : ''}${follows}`),
  };
}

export function applyCancel(record: PaymentRecord, { at, ends, isClosed }: CancelFact, entry: NewLogEntry): FactResult {
  if (record.cancelledAt) return { kind: 'nothing', reason: 'cancelled already' };
  const attempt = ends === undefined ? undefined : attemptOf(record, ends);
  if (attempt?.outcome !== 'open') return { kind: 'added', facts: { cancelledAt: at }, log: entry };
  return {
    kind: 'added',
    facts: { cancelledAt: at, attempts: withAttempt(record, endedAttempt(attempt, 'failed', at, isClosed)) },
    log: entryOf(attempt, `${entry.message}${isClosed ? closedText : ''}`),
  };
}

/** `entry`: the log entry of a payment that was never submitted. */
export function applyExpire(record: PaymentRecord, { at, ends, isClosed }: ExpireFact, entry: NewLogEntry): FactResult {
  const attempt = ends === undefined ? undefined : attemptOf(record, ends);
  if (attempt?.outcome !== 'open') return { kind: 'added', facts: { expiredAt: at }, log: entry };
  const closing = isClosed ? closedText : '; the provider did not confirm that the order is closed';
  return {
    kind: 'added',
    facts: { attempts: withAttempt(record, endedAttempt(attempt, 'expired', at, isClosed)) },
    log: entryOf(attempt, `${entry.message}${closing}`),
  };
}

const closedText = '; the order was closed at the provider';

/** It ends without a decline: no provider refused it. */
function endedAttempt(attempt: Attempt, outcome: 'failed' | 'expired', at: Date, isClosed = false): Attempt {
  const { close } = attempt;
  const closed = close && isClosed ? { close: { ...close, state: 'closed' } as const } : {};
  return { ...attempt, ...closed, outcome, action: null, stepLost: false, settledAt: at, replacedAt: at };
}

function entryOf({ n, providerReference }: Attempt, message: string): NewLogEntry {
  return { attempt: n, transactionId: providerReference ?? '', transactionStatusId: 3, code: '', message };
}
