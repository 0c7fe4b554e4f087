/** What a provider's answer to a call of ours adds to the facts. */
import { defined, type FailedOutcome, type Outcome, type UnknownOutcome } from '@paywright/contract';
import { answerRuleOf, answerRuleText } from '@paywright/contract/core';
import { shortText, withAttempt, type FactResult, type NewLogEntry } from './fact-result.ts';
import { derive } from './derive-status.ts';
import { isPaymentId, withAnswerIds } from './provider-references.ts';
import { withConfirmation } from './refund-reports.ts';
import { attemptOf, hasCaptureReports, type Attempt, type ThreeDsStep } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { RefundState } from '../../../database/collections/refund.ts';

/** The answer to a submission, or to `complete`, which continues it. */
export interface OutcomeFact {
  readonly type: 'outcome';
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly at: Date;
  /** The outcome's action, encrypted, and the 3D Secure step that it opens. */
  readonly action: Uint8Array | null;
  readonly step: ThreeDsStep | null;
  /**
   * The nonce of the step to which this is the answer; null: the answer to the submission itself, or to a member code.
   */
  readonly completed: string | null;
  /** The provider waits for a step of the payer that it does not show. */
  readonly awaitsPayer?: boolean;
  /** The fallback to another provider. It is opened in the same change if certainly nothing was charged. */
  readonly fallback: Attempt | null;
}

/** The fact of an answer that opens no step and no fallback. */
export function outcomeFact(attempt: number, outcome: Outcome, at: Date): OutcomeFact {
  return { type: 'outcome', attempt, outcome, at, action: null, step: null, completed: null, fallback: null };
}

export interface RefundOutcomeFact {
  readonly type: 'refund_outcome';
  readonly refund: number;
  readonly outcome: Outcome;
  readonly at: Date;
  /** A worker sent or repeated the refund: no caller waits for this outcome and sees a refusal in the answer. */
  readonly isByWorker?: true;
}

export function applyOutcome(record: PaymentRecord, fact: OutcomeFact): FactResult {
  const { attempt: n, outcome, at, action, step, fallback, awaitsPayer = false } = fact;
  const attempt = attemptOf(record, n);
  if (!attempt) return { kind: 'nothing', reason: 'no such attempt' };
  const isSettled = attempt.outcome !== 'open';
  // After a wrong member code, or without an answer, the payer's next step is the same as before.
  const isUnmoved = outcome.outcome === 'unknown' || (outcome.outcome === 'pending' && outcome.codeRefused === true);
  const learned = {
    ...withAnswerIds(attempt, outcome),
    endedAt: attempt.endedAt ?? at,
    steps: stepsAfter(attempt, fact),
    action: isSettled ? null : isUnmoved ? attempt.action : action,
    threeDsShown: outcome.threeDs ?? attempt.threeDsShown,
    threeDs: attempt.threeDs || isThreeDs(step) || ('threeDsResult' in outcome && outcome.threeDsResult !== undefined),
  };
  const logEntry = (transactionStatusId: 1 | 2 | 3, code: string, message: string): NewLogEntry => {
    const { threeDs = null } = outcome;
    const { providerReference } = learned;
    return { attempt: n, transactionId: providerReference ?? '', transactionStatusId, code, message, threeDs };
  };
  const added = (changed: Attempt, log: NewLogEntry): FactResult => ({
    kind: 'added',
    facts: { attempts: withAttempt(record, changed) },
    log,
  });
  // A faster callback has already reported what this answer does not know.
  const settledBefore = (answer: string, members: Partial<Attempt> = {}): FactResult =>
    added(
      { ...learned, ...members },
      logEntry(attempt.outcome === 'succeeded' ? 2 : 3, '', `${answer}; settled before`),
    );
  switch (outcome.outcome) {
    case 'succeeded': {
      const paid: Attempt = {
        ...learned,
        // The answer is about the whole amount, whatever was reported as captured before.
        ...(hasCaptureReports(learned) && { capturedTotal: learned.amount }),
        ...success,
        late: attempt.late || isLate(record, attempt),
        paidAtOnce: attempt.paidAtOnce || attempt.endedAt === null,
        settledAt: attempt.outcome === 'succeeded' ? attempt.settledAt : at,
      };
      // One payment is one success in the log, no matter what reported it first.
      return added(paid, logEntry(2, '', attempt.outcome === 'succeeded' ? 'charged; settled before' : 'succeeded'));
    }
    case 'failed': {
      if (attempt.outcome === 'succeeded') return settledBefore('failed');
      // The callback may not have known the decline.
      if (attempt.outcome === 'failed' && !outcome.decline) return settledBefore('failed');
      const failed: Attempt = { ...learned, ...failure(outcome), outcome: 'failed', unknown: false, settledAt: at };
      const opensFallback = fallback && outcome.nothingCharged && !isSettled && isPayable(record, failed);
      return withFallback(added(failed, failureEntry(outcome, logEntry)), opensFallback ? fallback : null);
    }
    case 'pending': {
      if (isSettled) {
        const isReserved = outcome.authorised === true && attempt.outcome !== 'succeeded';
        return settledBefore('pending', isReserved ? { authorisedAt: attempt.authorisedAt ?? at } : {});
      }
      const waits = action ? 'pending: the payer has to act' : outcome.codeRefused ? 'pending: wrong code' : 'pending';
      const authorisedAt = outcome.authorised ? (attempt.authorisedAt ?? at) : attempt.authorisedAt;
      const known = withPayerActionLost({ ...learned, authorisedAt, unknown: false }, awaitsPayer);
      return added(
        known,
        logEntry(1, '', outcome.authorised ? 'authorised' : known.stepLost ? payerActionLost : waits),
      );
    }
    case 'unknown': {
      if (isSettled) return settledBefore('no readable answer');
      const open = { ...learned, steps: attempt.steps, unknown: true };
      return added(open, logEntry(1, 'OUTCOME_UNKNOWN', reasonOf(outcome) ?? 'no readable answer'));
    }
  }
}

/** The reason for the log. In test mode the amount itself may be the cause. */
function reasonOf({ reason, sandboxRule }: FailedOutcome | UnknownOutcome): string | undefined {
  const rule = answerRuleOf(sandboxRule);
  return rule === undefined ? reason : answerRuleText(rule);
}

/** Members of an attempt that succeeded, whatever was reported about it before. */
export const success = {
  outcome: 'succeeded',
  unknown: false,
  nothingCharged: false,
  cancelled: false,
  decline: null,
  declineText: null,
  threeDsResult: null,
  acsResponse: null,
  action: null,
} as const;

/** For the log, which merchants read. */
export const payerActionLost =
  'pending: the payer’s next step was lost with the provider’s answer; it can be paid again once the provider has ended it';

/** A step for which the provider waits, and that is stored nowhere. */
export function withPayerActionLost(attempt: Attempt, awaitsPayer: boolean): Attempt {
  const stepLost = attempt.outcome === 'open' && attempt.action === null && (awaitsPayer || attempt.stepLost);
  return stepLost === attempt.stepLost ? attempt : { ...attempt, stepLost };
}

/** True for money that arrives after the attempt expired, or after the merchant cancelled. */
export function isLate(record: PaymentRecord, attempt: Attempt): boolean {
  return attempt.outcome === 'expired' || (attempt.outcome !== 'succeeded' && record.statusId === status.expired);
}

/**
 * True if another attempt can be opened once this one has failed: the payment is neither paid nor cancelled, and no
 * other attempt is open.
 */
function isPayable(record: PaymentRecord, failed: Attempt): boolean {
  return derive({ ...record, attempts: withAttempt(record, failed) }).statusId === status.failed;
}

/** A redirect that is only completed at the payer's return names no transaction. */
function isThreeDs(step: ThreeDsStep | null): boolean {
  return step !== null && step.transactionId !== null;
}

/** The answered step is done. If the provider still waits for the same challenge, the step can be taken again. */
function stepsAfter({ steps }: Attempt, { completed, step, at }: OutcomeFact): readonly ThreeDsStep[] {
  const answered = steps.map((one) => {
    if (one.nonce !== completed) return one;
    return step && step.transactionId === one.transactionId
      ? { ...one, takenAt: null, posted: null }
      : { ...one, doneAt: at, posted: null };
  });
  return step ? [...answered, step] : answered;
}

function withFallback(applied: FactResult, fallback: Attempt | null): FactResult {
  if (!fallback || applied.kind !== 'added') return applied;
  return { ...applied, facts: { ...applied.facts, attempts: [...(applied.facts.attempts ?? []), fallback] } };
}

function failure(outcome: FailedOutcome): Partial<Attempt> {
  return {
    nothingCharged: outcome.nothingCharged ?? false,
    cancelled: outcome.cancelled ?? false,
    ...(outcome.nothingCharged && defined({ refusedField: outcome.refusedField, sandboxRule: outcome.sandboxRule })),
    decline: outcome.decline ?? null,
    declineText: shortOrNull(outcome.declineText),
    threeDsResult: shortOrNull(outcome.threeDsResult),
    acsResponse: shortOrNull(outcome.acsResponse),
  };
}

function shortOrNull(text: string | undefined): string | null {
  return text === undefined ? null : shortText(text);
}

function failureEntry(
  outcome: FailedOutcome,
  logEntry: (status: 3, code: string, message: string) => NewLogEntry,
): NewLogEntry {
  if (outcome.nothingCharged) {
    const { refusedField } = outcome;
    const reason = reasonOf(outcome) ?? 'the provider refused the request';
    return logEntry(3, '', `nothing was charged: ${refusedField ? `${refusedField} refused: ` : ''}${reason}`);
  }
  if (outcome.cancelled) {
    const { reason } = outcome;
    return logEntry(3, '', reason === undefined ? 'the payer cancelled' : `the payer cancelled: ${reason}`);
  }
  return logEntry(
    3,
    outcome.decline ?? '',
    outcome.declineText ?? (outcome.threeDsResult ? '3D Secure failed' : 'declined'),
  );
}

const refundStates = { succeeded: 'succeeded', pending: 'pending', failed: 'failed', unknown: 'unknown' } as const;

export function applyRefundOutcome(record: PaymentRecord, { refund: n, outcome }: RefundOutcomeFact): FactResult {
  const refund = record.refunds[n - 1];
  const attempt = refund && attemptOf(record, refund.attempt);
  if (!refund || !attempt) return { kind: 'nothing', reason: 'no such refund' };
  const answeredSucceeded = refund.answeredSucceeded || outcome.outcome === 'succeeded';
  // A provider that does not number refunds answers with the payment's reference: that is no number.
  const { providerReference: id } = outcome;
  const number = id === undefined || isPaymentId(attempt, id) ? null : id;
  const providerReference = refund.providerReference ?? number;
  const reported = record.reportedRefunds
    .filter((event) => event.attempt === attempt.n && event.subReference !== null)
    .filter(({ subReference }) => subReference === providerReference)
    .map((event) => event.state);
  const isGiven = reported.includes('succeeded') || reported.includes('reversed');
  const hasSucceeded = answeredSucceeded || isGiven || refund.state === 'succeeded';
  const hasFailed = refund.state === 'failed' || reported.includes('failed');
  // A missing later answer does not change that the provider has the refund, under a number of its own.
  const isUnderWay = refund.state === 'pending' && providerReference !== null && outcome.outcome === 'unknown';
  // Only a result of the refund ends that it needs the merchant.
  const needsMerchant =
    refund.state === 'needs_merchant' ||
    reported.includes('needs_merchant') ||
    (outcome.outcome === 'pending' && outcome.needsMerchant === true);
  const isOpen = outcome.outcome === 'pending' || outcome.outcome === 'unknown';
  const answered: RefundState =
    needsMerchant && isOpen ? 'needs_merchant' : isUnderWay ? 'pending' : refundStates[outcome.outcome];
  const state: RefundState = hasSucceeded ? 'succeeded' : hasFailed ? 'failed' : answered;
  const isKnown =
    state === refund.state &&
    providerReference === refund.providerReference &&
    answeredSucceeded === refund.answeredSucceeded;
  if (isKnown) return { kind: 'nothing', reason: 'nothing new' };
  const refunds = record.refunds.map((other) =>
    other.n === n ? { ...other, state, providerReference, answeredSucceeded } : other,
  );
  const code = state === 'unknown' ? 'OUTCOME_UNKNOWN' : '';
  const message = `refund ${refund.reference} ${state === 'needs_merchant' ? 'needs the merchant' : state}`;
  const log = {
    attempt: refund.attempt,
    transactionId: providerReference ?? '',
    transactionStatusId: 2,
    code,
    message,
  } as const;
  // The answer may contradict a report that came first.
  const isNews = answeredSucceeded && providerReference !== null;
  const news = isNews ? withConfirmation({ ...record, refunds }, attempt.n, providerReference) : record;
  const { attempts, reportedRefunds } = news;
  return { kind: 'added', facts: { refunds, attempts, reportedRefunds }, log };
}
