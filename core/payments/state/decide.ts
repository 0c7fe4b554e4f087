/** decide(payment, fact): the one place where a payment's facts and status change. Pure; settle stores what it says. */
import { addDecimals } from '@gateway/contract';
import { announcements } from '../announcements.ts';
import { shortText, type Applied, type LogLine } from './fact-result.ts';
import { applyAnswer, applyRefundAnswer, type AnswerFact, type RefundAnswerFact } from './apply-outcome.ts';
import { attemptOf, latestAttempt, status } from '../facts.ts';
import type { Attempt, Facts, LogEntry, NotificationType, PaymentRecord, StatusId } from '../facts.ts';
import { derive } from './derive-status.ts';
import { applyEvent, type EventFact } from '../apply-event.ts';
import { isAllowed } from './transitions.ts';

export type Fact =
  | AnswerFact
  | EventFact
  | RefundAnswerFact
  | { readonly type: 'cancel'; readonly at: Date }
  | { readonly type: 'lapse'; readonly at: Date };

export type Decision =
  | { readonly kind: 'changed'; readonly next: PaymentRecord; readonly announce: readonly NotificationType[] }
  | { readonly kind: 'refused'; readonly next: PaymentRecord; readonly ask: boolean; readonly reason: string }
  | { readonly kind: 'nothing'; readonly reason: string };

/** Fee of what was paid, in the currency charged; from config. */
export type FeeOf = (attempt: Attempt) => string;

const MAX_IDENTITIES = 200;
const MAX_REFUSED_LINES = 50;
const MAX_LINES = 999;

export function decide(record: PaymentRecord, fact: Fact, feeOf: FeeOf): Decision {
  const applied = shortened(apply(record, fact));
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
    logs: withLine(record, isDouble ? { ...applied.log, code: 'DOUBLE_CHARGE' } : applied.log, fact.at),
    transitions: [
      ...record.transitions,
      ...steps.map(([from, to]) => ({ at: fact.at, from, to, cause: applied.log.message })),
    ],
    identities: applied.identity ? [...record.identities, applied.identity].slice(-MAX_IDENTITIES) : record.identities,
  };
  return { kind: 'changed', next, announce: announcements(record, next, fact) };
}

function shortened(applied: Applied): Applied {
  if (applied.kind === 'nothing') return applied;
  return { ...applied, log: { ...applied.log, message: shortText(applied.log.message) } };
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

/** The payment's id takes three digits of a line's: beyond them facts still count, and no line tells of them. */
function withLine(record: PaymentRecord, line: LogLine, at: Date): PaymentRecord['logs'] {
  return record.logs.length < MAX_LINES ? [...record.logs, entry(record, line, at, false)] : record.logs;
}

function entry(record: PaymentRecord, line: LogLine, at: Date, refused: boolean): LogEntry {
  return { ...line, n: record.logs.length + 1, at, refused };
}

/** A refused event is kept in the log, once, and changes nothing else. */
function refuse(record: PaymentRecord, { log, ask }: Extract<Applied, { kind: 'refused' }>, at: Date): Decision {
  const refused = record.logs.filter((line) => line.refused);
  const known = refused.some((line) => line.message === log.message && line.attempt === log.attempt);
  if (known || refused.length >= MAX_REFUSED_LINES || record.logs.length >= MAX_LINES) {
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
