/** decide(payment, fact): the one place where a payment's facts and status change. Pure; settle stores what it says. */
import { addDecimals, compareDecimals, type FailedOutcome, type Outcome } from '@gateway/contract';
import { attemptOf, latestAttempt, status } from './facts.ts';
import type {
  Attempt,
  Facts,
  LogEntry,
  NotificationType,
  PaymentRecord,
  RefundState,
  StatusId,
  Step,
} from './facts.ts';
import { derive } from './derive.ts';
import { applyEvent, type EventFact } from './apply-event.ts';
import { isAllowed } from './transitions.ts';

/** The answer of a submission, or of `complete`, which continues it. */
export interface AnswerFact {
  readonly type: 'answer';
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly at: Date;
  /** The outcome's action, sealed, and the 3D Secure step that it opens. */
  readonly action: Uint8Array | null;
  readonly step: Step | null;
  /** Nonce of the step that this is the answer to; null: the answer to the submission itself, or to a member code. */
  readonly completed: string | null;
  /** Opened in the same step where certainly nothing was charged: the fallback to another provider. */
  readonly fallback: Attempt | null;
}

export interface RefundAnswerFact {
  readonly type: 'refund_answer';
  readonly refund: number;
  readonly outcome: Outcome;
  readonly at: Date;
}

export type Fact =
  | AnswerFact
  | EventFact
  | RefundAnswerFact
  | { readonly type: 'cancel'; readonly at: Date }
  | { readonly type: 'lapse'; readonly at: Date };

/** What is written in the log about a fact. */
export type LogLine = Pick<LogEntry, 'attempt' | 'transactionId' | 'transactionStatusId' | 'code' | 'message'>;

/** What a fact adds. `ask`: the provider should be asked, for this cannot be believed as it stands. */
export type Applied =
  | { readonly kind: 'added'; readonly facts: Partial<Facts>; readonly log: LogLine; readonly identity?: string }
  | { readonly kind: 'nothing'; readonly reason: string }
  | { readonly kind: 'refused'; readonly log: LogLine; readonly ask: boolean };

export type Decision =
  | { readonly kind: 'changed'; readonly next: PaymentRecord; readonly announce: readonly NotificationType[] }
  | { readonly kind: 'refused'; readonly next: PaymentRecord; readonly ask: boolean; readonly reason: string }
  | { readonly kind: 'nothing'; readonly reason: string };

/** Fee of what was paid, in the currency charged; from config. */
export type FeeOf = (attempt: Attempt) => string;

const MAX_IDENTITIES = 200;
const MAX_REFUSED_LINES = 50;

export function decide(record: PaymentRecord, fact: Fact, feeOf: FeeOf): Decision {
  const applied = apply(record, fact);
  if (applied.kind === 'nothing') return applied;
  if (applied.kind === 'refused') return refuse(record, applied, fact.at);
  const facts: PaymentRecord = { ...record, ...applied.facts };
  const derived = derive(facts);
  const steps = stepsTo(record.statusId, derived.statusId);
  if (!steps.every(([from, to]) => isAllowed(from, to))) {
    const log = { ...applied.log, message: `refused: ${record.statusId} to ${derived.statusId} is no transition` };
    return refuse(record, { kind: 'refused', log, ask: false }, fact.at);
  }
  const payers = facts.attempts.filter(
    ({ n, outcome }) => outcome === 'succeeded' && attemptOf(record, n)?.outcome !== 'succeeded',
  );
  const isDouble = payers.length > 0 && record.paidAmount !== null;
  const next: PaymentRecord = {
    ...facts,
    ...derived,
    feeAmount: payers.length ? addDecimals(record.feeAmount ?? '0', ...payers.map(feeOf)) : record.feeAmount,
    logs: [
      ...record.logs,
      entry(record, isDouble ? { ...applied.log, code: 'DOUBLE_CHARGE' } : applied.log, fact.at, false),
    ],
    transitions: [
      ...record.transitions,
      ...steps.map(([from, to]) => ({ at: fact.at, from, to, cause: applied.log.message })),
    ],
    identities: applied.identity ? [...record.identities, applied.identity].slice(-MAX_IDENTITIES) : record.identities,
  };
  return { kind: 'changed', next, announce: announcements(record, next, fact) };
}

/** From one status to the next. A refund that was known before the success it belongs to is applied once that is paid. */
function stepsTo(from: StatusId, to: StatusId): (readonly [StatusId, StatusId])[] {
  if (from === to) return [];
  if (to !== status.refunded || from === status.paid) return [[from, to]];
  return [
    [from, status.paid],
    [status.paid, to],
  ];
}

function entry(record: PaymentRecord, line: LogLine, at: Date, refused: boolean): LogEntry {
  return { ...line, n: record.logs.length + 1, at, refused };
}

/** A refused event is kept in the log, once, and changes nothing else. */
function refuse(record: PaymentRecord, { log, ask }: Extract<Applied, { kind: 'refused' }>, at: Date): Decision {
  const refused = record.logs.filter((line) => line.refused);
  const known = refused.some((line) => line.message === log.message && line.attempt === log.attempt);
  if (known || refused.length >= MAX_REFUSED_LINES) {
    return ask ? { kind: 'refused', next: record, ask, reason: log.message } : { kind: 'nothing', reason: log.message };
  }
  return {
    kind: 'refused',
    next: { ...record, logs: [...record.logs, entry(record, log, at, true)] },
    ask,
    reason: log.message,
  };
}

function apply(record: PaymentRecord, fact: Fact): Applied {
  switch (fact.type) {
    case 'answer':
      return applyAnswer(record, fact);
    case 'event':
      return applyEvent(record, fact);
    case 'refund_answer':
      return applyRefundAnswer(record, fact);
    case 'cancel':
      return record.cancelledAt
        ? { kind: 'nothing', reason: 'cancelled already' }
        : { kind: 'added', facts: { cancelledAt: fact.at }, log: ownLine(record, 'cancelled by the merchant') };
    case 'lapse':
      return record.statusId !== status.created
        ? { kind: 'nothing', reason: 'not open any more' }
        : { kind: 'added', facts: { lapsedAt: fact.at }, log: ownLine(record, 'nobody paid in time') };
  }
}

function ownLine(record: PaymentRecord, message: string): LogLine {
  const { n = 0, providerReference = null } = latestAttempt(record) ?? {};
  return {
    attempt: n,
    transactionId: providerReference ?? '',
    transactionStatusId: transactionStatus(record),
    code: '',
    message,
  };
}

/** 0 none yet, 1 pending, 2 succeeded, 3 failed: of the latest attempt, or of the payment once it was paid. */
export function transactionStatus(facts: Facts): 0 | 1 | 2 | 3 {
  if (facts.attempts.some(({ outcome }) => outcome === 'succeeded')) return 2;
  const latest = facts.attempts.at(-1);
  return latest ? (latest.outcome === 'open' ? 1 : 3) : 0;
}

/** Replaces one attempt. */
export function withAttempt(facts: Facts, changed: Attempt): readonly Attempt[] {
  return facts.attempts.map((attempt) => (attempt.n === changed.n ? changed : attempt));
}

function applyAnswer(record: PaymentRecord, fact: AnswerFact): Applied {
  const { attempt: n, outcome, at, action, step, fallback } = fact;
  const attempt = attemptOf(record, n);
  if (!attempt) return { kind: 'nothing', reason: 'no such attempt' };
  const isOver = attempt.outcome !== 'open';
  // After a wrong member code, or without an answer, the payer's next step is what it was.
  const isUnmoved = outcome.outcome === 'unknown' || (outcome.outcome === 'pending' && outcome.codeRefused === true);
  const providerReference = outcome.providerReference ?? attempt.providerReference;
  const learned = {
    ...attempt,
    endedAt: attempt.endedAt ?? at,
    providerReference,
    referenceProven: attempt.referenceProven || outcome.providerReference !== undefined,
    steps: stepsAfter(attempt, fact),
    action: isOver ? null : isUnmoved ? attempt.action : action,
    threeDs: attempt.threeDs || step !== null || ('threeDsResult' in outcome && outcome.threeDsResult !== undefined),
  };
  const line = (transactionStatusId: 1 | 2 | 3, code: string, message: string): LogLine => {
    return { attempt: n, transactionId: providerReference ?? '', transactionStatusId, code, message };
  };
  const added = (changed: Attempt, log: LogLine): Applied => ({
    kind: 'added',
    facts: { attempts: withAttempt(record, changed) },
    log,
  });
  // A callback that was quicker has told already what this answer does not know.
  const settledBefore = (told: string): Applied =>
    added(learned, line(attempt.outcome === 'succeeded' ? 2 : 3, '', `${told}; settled before`));
  switch (outcome.outcome) {
    case 'succeeded': {
      const paid: Attempt = {
        ...learned,
        ...success,
        late: attempt.late || isLate(record, attempt),
        paidAtOnce: attempt.paidAtOnce || attempt.endedAt === null,
        settledAt: attempt.outcome === 'succeeded' ? attempt.settledAt : at,
      };
      return added(paid, line(2, '', 'succeeded'));
    }
    case 'failed': {
      if (attempt.outcome === 'succeeded') return settledBefore('failed');
      // The callback may not have known the decline.
      if (attempt.outcome === 'failed' && !outcome.decline) return settledBefore('failed');
      const failed: Attempt = { ...learned, ...failure(outcome), outcome: 'failed', unknown: false, settledAt: at };
      const opensFallback = fallback && outcome.nothingCharged && !isOver && isPayable(record, failed);
      return withFallback(added(failed, failureLine(outcome, line)), opensFallback ? fallback : null);
    }
    case 'pending': {
      if (isOver) return settledBefore('pending');
      const waits = action ? 'pending: the payer has to act' : outcome.codeRefused ? 'pending: wrong code' : 'pending';
      return added({ ...learned, unknown: false }, line(1, '', outcome.authorised ? 'authorised' : waits));
    }
    case 'unknown': {
      if (isOver) return settledBefore('no readable answer');
      const open = { ...learned, steps: attempt.steps, unknown: true };
      return added(open, line(1, 'OUTCOME_UNKNOWN', outcome.reason ?? 'no readable answer'));
    }
  }
}

/** An attempt that succeeded, whatever was told of it before. */
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

/** Money that arrives after the attempt expired, or after the merchant cancelled. */
export function isLate(record: PaymentRecord, attempt: Attempt): boolean {
  return attempt.outcome === 'expired' || (attempt.outcome !== 'succeeded' && record.statusId === status.expired);
}

/** With this attempt failed, another one may be opened: nobody paid, cancelled, or is being charged. */
function isPayable(record: PaymentRecord, failed: Attempt): boolean {
  return derive({ ...record, attempts: withAttempt(record, failed) }).statusId === status.failed;
}

/** The answered step is done; where the provider still waits for the same challenge it can be taken again. */
function stepsAfter({ steps }: Attempt, { completed, step, at }: AnswerFact): readonly Step[] {
  const told = steps.map((one) => {
    if (one.nonce !== completed) return one;
    return step && step.transactionId === one.transactionId
      ? { ...one, takenAt: null, posted: null }
      : { ...one, doneAt: at, posted: null };
  });
  return step ? [...told, step] : told;
}

function withFallback(applied: Applied, fallback: Attempt | null): Applied {
  if (!fallback || applied.kind !== 'added') return applied;
  return { ...applied, facts: { ...applied.facts, attempts: [...(applied.facts.attempts ?? []), fallback] } };
}

function failure(outcome: FailedOutcome): Partial<Attempt> {
  return {
    nothingCharged: outcome.nothingCharged ?? false,
    decline: outcome.decline ?? null,
    declineText: outcome.declineText ?? null,
    threeDsResult: outcome.threeDsResult ?? null,
    acsResponse: outcome.acsResponse ?? null,
  };
}

function failureLine(outcome: FailedOutcome, line: (status: 3, code: string, message: string) => LogLine): LogLine {
  if (outcome.nothingCharged)
    return line(3, '', `nothing was charged: ${outcome.reason ?? 'the provider refused the request'}`);
  return line(
    3,
    outcome.decline ?? '',
    outcome.declineText ?? (outcome.threeDsResult ? '3D Secure failed' : 'declined'),
  );
}

const refundStates = { succeeded: 'succeeded', pending: 'pending', failed: 'failed', unknown: 'unknown' } as const;

function applyRefundAnswer(record: PaymentRecord, { refund: n, outcome }: RefundAnswerFact): Applied {
  const refund = record.refunds[n - 1];
  const attempt = refund && attemptOf(record, refund.attempt);
  if (!refund || !attempt) return { kind: 'nothing', reason: 'no such refund' };
  const answeredSucceeded = refund.answeredSucceeded || outcome.outcome === 'succeeded';
  // A provider without numbers for refunds answers with the payment's reference: that numbers nothing.
  const number = outcome.providerReference === attempt.providerReference ? undefined : outcome.providerReference;
  const providerReference = refund.providerReference ?? number ?? null;
  const told = record.reportedRefunds
    .filter((event) => event.attempt === attempt.n && event.subReference !== null)
    .filter(({ subReference }) => subReference === providerReference)
    .map((event) => event.state);
  const isGiven = told.includes('succeeded') || told.includes('reversed');
  const hasSucceeded = answeredSucceeded || isGiven || refund.state === 'succeeded';
  const hasFailed = refund.state === 'failed' || told.includes('failed');
  const state: RefundState = hasSucceeded ? 'succeeded' : hasFailed ? 'failed' : refundStates[outcome.outcome];
  const isKnown =
    state === refund.state &&
    providerReference === refund.providerReference &&
    answeredSucceeded === refund.answeredSucceeded;
  if (isKnown) return { kind: 'nothing', reason: 'no news' };
  const refunds = record.refunds.map((other) =>
    other.n === n ? { ...other, state, providerReference, answeredSucceeded } : other,
  );
  const code = state === 'unknown' ? 'OUTCOME_UNKNOWN' : '';
  const message = `refund ${refund.reference} ${state}`;
  const log = {
    attempt: refund.attempt,
    transactionId: providerReference ?? '',
    transactionStatusId: 2,
    code,
    message,
  } as const;
  return { kind: 'added', facts: { refunds }, log };
}

/** What merchants are told, in this order, when one step changes several things. */
function announcements(before: PaymentRecord, after: PaymentRecord, fact: Fact): NotificationType[] {
  const told: NotificationType[] = [];
  const moved = before.statusId !== after.statusId;
  const change = compareDecimals(after.refundedAmount, before.refundedAmount);
  // Refunded in full, and then another attempt paid as well.
  const isPaidAgain = moved && after.statusId === status.paid && before.statusId === status.refunded && change >= 0;
  if (isPaidAgain || (before.paidAmount === null && after.paidAmount !== null)) told.push('payment.succeeded');
  else if (moved && after.statusId === status.failed) told.push('payment.failed');
  else if (moved && after.statusId === status.expired) told.push('payment.expired');
  else if (endsPending(before, after, fact)) told.push('payment.pending');
  if (change > 0) told.push(after.statusId === status.refunded ? 'payment.refunded' : 'payment.partially_refunded');
  if (change < 0) told.push('payment.refund_reversed');
  if (before.chargedBack !== after.chargedBack) {
    told.push(after.chargedBack ? 'payment.charged_back' : 'payment.chargeback_reversed');
  }
  return told;
}

/** A submission (not a later step of it) has ended, and the payment is pending. */
function endsPending(before: PaymentRecord, after: PaymentRecord, fact: Fact): boolean {
  if (fact.type !== 'answer' || after.statusId !== status.pending) return false;
  return attemptOf(before, fact.attempt)?.endedAt === null && latestAttempt(after)?.n === fact.attempt;
}
