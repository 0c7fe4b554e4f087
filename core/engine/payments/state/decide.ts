/**
 * decide(payment, fact): the only place where a payment's facts and status change. Pure; the caller stores the
 * decision.
 */
import { addDecimals, compareDecimals, subtractDecimals } from '@paywright/contract';
import { noticesOf } from './notification-types.ts';
import { shortText, type FactResult, type NewLogEntry } from './fact-result.ts';
import { applyOutcome, applyRefundOutcome } from './apply-outcome.ts';
import { attemptOf, chargedAmount, latestAttempt } from '../../../database/collections/attempt.ts';
import {
  status,
  type Facts,
  type LogEntry,
  type PaymentRecord,
  type StatusId,
} from '../../../database/collections/payment-request.ts';
import { depositOf, isSameDeposit } from '../clients/deposits.ts';
import { derive } from './derive-status.ts';
import { applyCollection } from './apply-collection.ts';
import { applyEvent } from './apply-event.ts';
import { withCapturesPaid } from './captured.ts';
import { applyNotFound } from './apply-not-found.ts';
import { applyClose } from './apply-close.ts';
import { applyCancel, applyExpire, applyReplace } from './apply-replacement.ts';
import { applyRefundNotShown } from './apply-refund-not-shown.ts';
import { applyRefundSettled } from './apply-refund-settled.ts';
import type { Decision, Fact } from './fact.ts';
import { changedRefundId } from './refund-entries.ts';
import { stampRefunds } from './stamp-refunds.ts';
import type { FeeOf } from './fee.ts';
import { attemptsLackingThreeDs } from '../three-ds/proof.ts';
import { isAllowed } from './transitions.ts';

const MAX_SEEN_EVENTS = 200;
const MAX_REFUSED_ENTRIES = 50;
const MAX_ENTRIES = 999;

export function decide(record: PaymentRecord, fact: Fact, feeOf: FeeOf): Decision {
  const applied = shortened(apply(record, fact));
  if (applied.kind === 'nothing') return applied;
  if (applied.kind === 'refused') return refuse(record, applied, fact.at);
  const added: PaymentRecord = { ...record, ...stampRefunds(record, applied.facts, fact) };
  const facts: PaymentRecord = { ...added, attempts: withCapturesPaid(added, record, fact.at) };
  const derived = derive(facts);
  const steps = stepsTo(record.statusId, derived.statusId);
  if (!steps.every(([from, to]) => isAllowed(from, to))) {
    const log = {
      ...applied.log,
      message: `refused: the transition from ${record.statusId} to ${derived.statusId} is not allowed`,
    };
    return refuse(record, { kind: 'refused', log, fetch: false }, fact.at);
  }
  const payers = facts.attempts.filter(
    ({ n, outcome }) => outcome === 'succeeded' && attemptOf(record, n)?.outcome !== 'succeeded',
  );
  const isDouble = payers.length > 0 && record.paidAmount !== null;
  const refund = refundOf(record, facts, fact);
  const about = { ...applied.log, ...(refund !== undefined && { refund }) };
  const log = attemptsLackingThreeDs(facts, record).length
    ? { ...about, message: shortText(`${about.message}; 3D Secure was demanded and is not shown`) }
    : about;
  const next: PaymentRecord = {
    ...facts,
    ...derived,
    // Always increment, so that a concurrent count of the previous state is detected as stale.
    depositDue: isSameDeposit(depositOf(record), depositOf(derived)) ? record.depositDue : record.version + 1,
    feeAmount: feeAfter(record, facts, feeOf),
    logs: withEntry(record, isDouble ? { ...log, code: 'DOUBLE_CHARGE' } : log, fact.at),
    transitions: [
      ...record.transitions,
      ...steps.map(([from, to]) => ({ at: fact.at, from, to, cause: applied.log.message })),
    ],
    seenEventIds: applied.eventId
      ? [...record.seenEventIds, applied.eventId].slice(-MAX_SEEN_EVENTS)
      : record.seenEventIds,
  };
  return { kind: 'changed', next, notify: noticesOf(record, next, fact) };
}

/** The id of the refund that the fact is about; undefined: it is about none, or changes none. */
function refundOf(record: PaymentRecord, facts: PaymentRecord, fact: Fact): string | undefined {
  if (fact.type === 'refund_outcome' || fact.type === 'refund_not_shown')
    return record.refunds[fact.refund - 1]?.reference;
  if (fact.type === 'refund_settled') return fact.refund;
  return fact.type === 'event' && fact.event.kind === 'refund' ? changedRefundId(record, facts) : undefined;
}

/** Each charge adds its fee. A later capture adds the difference of the fees. */
function feeAfter(before: PaymentRecord, { attempts }: Facts, feeOf: FeeOf): string | null {
  const added = attempts.flatMap((attempt) => {
    if (attempt.outcome !== 'succeeded') return [];
    const known = attemptOf(before, attempt.n);
    if (known?.outcome !== 'succeeded') return [feeOf(attempt)];
    const isRaised = compareDecimals(chargedAmount(attempt), chargedAmount(known)) > 0;
    return isRaised ? [subtractDecimals(feeOf(attempt), feeOf(known))] : [];
  });
  return added.length ? addDecimals(before.feeAmount ?? '0', ...added) : before.feeAmount;
}

function shortened(applied: FactResult): FactResult {
  if (applied.kind === 'nothing') return applied;
  return { ...applied, log: { ...applied.log, message: shortText(applied.log.message) } };
}

/**
 * The steps from one status to the next. A refund that was known before its charge is applied once the charge is paid.
 */
function stepsTo(from: StatusId, to: StatusId): (readonly [StatusId, StatusId])[] {
  if (from === to) return [];
  if (to !== status.refunded || from === status.paid) return [[from, to]];
  return [
    [from, status.paid],
    [status.paid, to],
  ];
}

/** The number of a log entry has three digits. Facts beyond that still count, but get no entry. */
function withEntry(record: PaymentRecord, log: NewLogEntry, at: Date): PaymentRecord['logs'] {
  return record.logs.length < MAX_ENTRIES ? [...record.logs, toEntry(record, log, at, false)] : record.logs;
}

function toEntry(record: PaymentRecord, log: NewLogEntry, at: Date, refused: boolean): LogEntry {
  return { details: null, received: null, threeDs: null, ...log, n: record.logs.length + 1, at, refused };
}

/** A refused event is kept in the log, once, and changes nothing else. */
function refuse(record: PaymentRecord, { log, fetch }: Extract<FactResult, { kind: 'refused' }>, at: Date): Decision {
  const refused = record.logs.filter((entry) => entry.refused);
  const known = refused.some((entry) => entry.message === log.message && entry.attempt === log.attempt);
  // The first event of a kind that does not fit is logged in any case, because its entry raises an alarm.
  const isFirstMisfit = log.misfit !== undefined && !record.logs.some(({ misfit }) => misfit === log.misfit);
  const isFull = (refused.length >= MAX_REFUSED_ENTRIES && !isFirstMisfit) || record.logs.length >= MAX_ENTRIES;
  if (known || isFull) {
    return fetch
      ? { kind: 'refused', next: record, fetch, reason: log.message }
      : { kind: 'nothing', reason: log.message };
  }
  return {
    kind: 'refused',
    next: { ...record, logs: [...record.logs, toEntry(record, log, at, true)] },
    fetch,
    reason: log.message,
  };
}

function apply(record: PaymentRecord, fact: Fact): FactResult {
  switch (fact.type) {
    case 'outcome':
      return applyOutcome(record, fact);
    case 'event':
      return applyEvent(record, fact);
    case 'refund_outcome':
      return applyRefundOutcome(record, fact);
    case 'capture_outcome':
    case 'void_outcome':
      return applyCollection(record, fact);
    case 'not_found':
      return applyNotFound(record, fact);
    case 'refund_not_shown':
      return applyRefundNotShown(record, fact);
    case 'refund_settled':
      return applyRefundSettled(record, fact);
    case 'replace':
      return applyReplace(record, fact);
    case 'cancel':
      return applyCancel(record, fact, ownEntry(record, 'cancelled by the merchant'));
    case 'close_outcome':
      return applyClose(record, fact, (message) => ownEntry(record, message));
    case 'expire':
      return record.statusId !== (fact.ends === undefined ? status.created : status.pending)
        ? { kind: 'nothing', reason: 'not open any more' }
        : applyExpire(record, fact, ownEntry(record, 'not paid in time'));
  }
}

function ownEntry(record: PaymentRecord, message: string): NewLogEntry {
  const { n = 0, providerReference = null } = latestAttempt(record) ?? {};
  return {
    attempt: n,
    transactionId: providerReference ?? '',
    transactionStatusId: transactionStatus(record),
    code: '',
    message,
  };
}

/** 0 none yet, 1 pending, 2 succeeded, 3 failed: the state of the latest attempt, or of the payment once it is paid. */
export function transactionStatus(facts: Pick<Facts, 'attempts'>): 0 | 1 | 2 | 3 {
  if (facts.attempts.some(({ outcome }) => outcome === 'succeeded')) return 2;
  const latest = facts.attempts.at(-1);
  return latest ? (latest.outcome === 'open' ? 1 : 3) : 0;
}
