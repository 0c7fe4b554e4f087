/** What a provider's answer to a capture, or to the release of an authorised payment, adds to the facts. */
import type { Outcome } from '@gateway/contract';
import { attemptOf, type Attempt, type Capture } from '../../documents/attempt.ts';
import type { PaymentRecord } from '../../documents/payment-request.ts';
import { isLate, success } from './apply-outcome.ts';
import { withAttempt, type FactResult, type NewLogEntry } from './fact-result.ts';

/** The answer to the capture of an attempt, or to its release. */
export interface CollectionFact {
  readonly type: 'capture_outcome' | 'void_outcome';
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly at: Date;
}

export function applyCollection(record: PaymentRecord, fact: CollectionFact): FactResult {
  const attempt = attemptOf(record, fact.attempt);
  if (!attempt) return { kind: 'nothing', reason: 'no such attempt' };
  if (attempt.outcome !== 'open') return { kind: 'nothing', reason: 'settled before' };
  return fact.type === 'capture_outcome' ? applyCapture(record, attempt, fact) : applyVoid(record, attempt, fact);
}

function applyCapture(record: PaymentRecord, attempt: Attempt, { outcome, at }: CollectionFact): FactResult {
  const { capture } = attempt;
  if (!capture) return { kind: 'nothing', reason: 'no capture is under way' };
  const withState = (state: Capture['state']): Attempt => ({ ...attempt, capture: { ...capture, state } });
  switch (outcome.outcome) {
    case 'succeeded': {
      const late = attempt.late || isLate(record, attempt);
      return added(record, { ...withState('succeeded'), ...success, late, settledAt: at }, 2, '', 'captured');
    }
    case 'failed': {
      const message = `the capture was refused: ${outcome.reason ?? outcome.declineText ?? 'no reason given'}`;
      return added(record, { ...attempt, capture: null }, 1, outcome.decline ?? '', message);
    }
    case 'pending':
    case 'unknown': {
      if (capture.state === outcome.outcome) return { kind: 'nothing', reason: 'nothing new' };
      if (outcome.outcome === 'pending') return added(record, withState('pending'), 1, '', 'capture pending');
      return added(record, withState('unknown'), 1, 'OUTCOME_UNKNOWN', outcome.reason ?? 'no readable answer');
    }
  }
}

function applyVoid(record: PaymentRecord, attempt: Attempt, { outcome, at }: CollectionFact): FactResult {
  if (!attempt.voidRequestedAt) return { kind: 'nothing', reason: 'no release is under way' };
  switch (outcome.outcome) {
    case 'succeeded': {
      const released = { ...attempt, ...ended, settledAt: at } as const;
      const result = added(record, released, 3, '', 'released: cancelled by the merchant');
      return { ...result, facts: { ...result.facts, cancelledAt: record.cancelledAt ?? at } };
    }
    case 'failed': {
      const message = `the release was refused: ${outcome.reason ?? outcome.declineText ?? 'no reason given'}`;
      return added(record, { ...attempt, voidRequestedAt: null, unknown: false }, 1, '', message);
    }
    case 'pending':
      return { kind: 'nothing', reason: 'nothing new' };
    case 'unknown':
      if (attempt.unknown) return { kind: 'nothing', reason: 'nothing new' };
      return added(record, { ...attempt, unknown: true }, 1, 'OUTCOME_UNKNOWN', outcome.reason ?? 'no readable answer');
  }
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
