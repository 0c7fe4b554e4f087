/** What a provider's answer to a capture, or to the release of an authorised payment, adds to the facts. */
import type { FailedOutcome, Outcome } from '@paywright/contract';
import { attemptOf, hasCaptureReports, type Attempt, type Capture } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { isLate, success } from './apply-outcome.ts';
import { withCaptureIds } from './provider-references.ts';
import { withAttempt, type FactResult, type NewLogEntry } from './fact-result.ts';

/** The answer to the capture of an attempt, or to its release. */
export interface CollectionFact {
  readonly type: 'capture_outcome' | 'void_outcome';
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly at: Date;
  /** Core repeated the request: no caller waits for the answer, so the merchant is notified of a refusal. */
  readonly isRepetition?: true;
}

export function applyCollection(record: PaymentRecord, fact: CollectionFact): FactResult {
  const stored = attemptOf(record, fact.attempt);
  if (!stored) return { kind: 'nothing', reason: 'no such attempt' };
  const attempt = fact.type === 'capture_outcome' ? withCaptureIds(stored, fact.outcome) : stored;
  if (attempt.outcome !== 'open') return applySettled(record, attempt, fact, attempt !== stored);
  return fact.type === 'capture_outcome'
    ? applyCapture(record, attempt, fact, attempt !== stored)
    : applyVoid(record, attempt, fact);
}

/**
 * The provider reported another capture before it answered ours: the amount of ours counts, too. `learns`: the answer
 * names ids that the report did not.
 */
function applySettled(
  record: PaymentRecord,
  attempt: Attempt,
  { type, outcome }: CollectionFact,
  learns: boolean,
): FactResult {
  const { capture } = attempt;
  const isOurs = type === 'capture_outcome' && outcome.outcome === 'succeeded' && attempt.outcome === 'succeeded';
  if (!isOurs || !capture || capture.state === 'succeeded' || !hasCaptureReports(attempt))
    return learns
      ? added(record, attempt, attempt.outcome === 'succeeded' ? 2 : 3, '', 'captured; settled before')
      : { kind: 'nothing', reason: 'settled before' };
  return added(record, { ...attempt, capture: { ...capture, state: 'succeeded' } }, 2, '', 'captured');
}

function applyCapture(
  record: PaymentRecord,
  attempt: Attempt,
  { outcome, at }: CollectionFact,
  learns: boolean,
): FactResult {
  const { capture } = attempt;
  if (!capture) return { kind: 'nothing', reason: 'no capture is in progress' };
  const withState = (state: Capture['state']): Attempt => ({ ...attempt, capture: { ...capture, state } });
  switch (outcome.outcome) {
    case 'succeeded': {
      const late = attempt.late || isLate(record, attempt);
      return added(record, { ...withState('succeeded'), ...success, late, settledAt: at }, 2, '', 'captured');
    }
    case 'failed': {
      const message = `the capture was refused: ${outcome.reason ?? outcome.declineText ?? 'no reason given'}`;
      return added(record, withoutCapture(attempt, outcome), 1, outcome.decline ?? '', message);
    }
    case 'pending':
    case 'unknown': {
      if (capture.state === outcome.outcome && !learns) return { kind: 'nothing', reason: 'nothing new' };
      if (outcome.outcome === 'pending') return added(record, withState('pending'), 1, '', 'capture pending');
      return added(record, withState('unknown'), 1, 'OUTCOME_UNKNOWN', outcome.reason ?? 'no readable answer');
    }
  }
}

function applyVoid(record: PaymentRecord, attempt: Attempt, { outcome, at }: CollectionFact): FactResult {
  if (!attempt.voidRequestedAt) return { kind: 'nothing', reason: 'no release is in progress' };
  switch (outcome.outcome) {
    case 'succeeded': {
      const released = { ...attempt, ...ended, settledAt: at } as const;
      const result = added(record, released, 3, '', 'released: cancelled by the merchant');
      return { ...result, facts: { ...result.facts, cancelledAt: record.cancelledAt ?? at } };
    }
    case 'failed': {
      const message = `the release was refused: ${outcome.reason ?? outcome.declineText ?? 'no reason given'}`;
      return added(record, { ...withoutRelease(attempt, outcome), unknown: false }, 1, '', message);
    }
    case 'pending':
      return { kind: 'nothing', reason: 'nothing new' };
    case 'unknown':
      if (attempt.unknown) return { kind: 'nothing', reason: 'nothing new' };
      return added(record, { ...attempt, unknown: true }, 1, 'OUTCOME_UNKNOWN', outcome.reason ?? 'no readable answer');
  }
}

/** Back to authorised. A request that never reached the provider keeps its reference. */
function withoutCapture(attempt: Attempt, refusal: Refusal = {}): Attempt {
  return { ...attempt, capture: null, refusedRequests: refusalsAfter(attempt, refusal) };
}

function withoutRelease(attempt: Attempt, refusal: Refusal = {}): Attempt {
  return { ...attempt, voidRequestedAt: null, refusedRequests: refusalsAfter(attempt, refusal) };
}

type Refusal = Pick<FailedOutcome, 'notSent' | 'requestRejected'>;

function refusalsAfter({ refusedRequests = 0 }: Attempt, { notSent, requestRejected }: Refusal): number {
  return notSent || requestRejected ? refusedRequests : refusedRequests + 1;
}

/**
 * The attempt after the provider reported that a capture or release, which it had accepted, failed. Returns the attempt
 * itself if the report says nothing new.
 */
export function withFailedRequest(
  attempt: Attempt,
  { failedRequest, status }: Pick<MappedEvent, 'failedRequest' | 'status'>,
  at: Date,
): Attempt {
  if (failedRequest === 'capture' && status === 'failed')
    return attempt.captureFailedAt ? attempt : { ...attempt, captureFailedAt: at };
  if (attempt.outcome !== 'open' || status !== 'authorised') return attempt;
  // This includes a capture that the provider was to make automatically.
  if (failedRequest === 'capture') return withoutCapture(attempt);
  return failedRequest === 'void' && attempt.voidRequestedAt ? withoutRelease(attempt) : attempt;
}

/** True if the provider reported the money as captured and then reported that it does not arrive. */
export function lacksItsMoney({ outcome, captureFailedAt }: Attempt): boolean {
  return outcome === 'succeeded' && Boolean(captureFailedAt);
}

const ended = { outcome: 'failed', cancelled: true, unknown: false, action: null } as const;

function added(
  record: PaymentRecord,
  changed: Attempt,
  transactionStatusId: NewLogEntry['transactionStatusId'],
  code: string,
  message: string,
): Extract<FactResult, { kind: 'added' }> {
  const transactionId = changed.providerReference ?? '';
  const log = { attempt: changed.n, transactionId, transactionStatusId, code, message };
  return { kind: 'added', facts: { attempts: withAttempt(record, changed) }, log };
}
