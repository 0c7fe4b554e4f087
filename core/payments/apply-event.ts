/** What one event of a provider adds to the facts. Its amount, currency and reference are compared here, for every adapter. */
import { addDecimals, compareDecimals, isDecimal, subtractDecimals, trimDecimal } from '@gateway/contract';
import type { StatedEvent } from '../providers/mapped-event.ts';
import { attemptOf } from './facts.ts';
import type { Attempt, Facts, PaymentRecord, Refund, ReportedRefund, Stage } from './facts.ts';
import { shortText, withAttempt, type Applied, type LogLine } from './state/fact-result.ts';
import { isLate, success } from './state/apply-outcome.ts';

export interface EventFact {
  readonly type: 'event';
  readonly attempt: number;
  readonly event: StatedEvent;
  readonly at: Date;
  /** It came over our own connection (a status fetch), so its provider reference is proven. */
  readonly own: boolean;
}

export function applyEvent(record: PaymentRecord, fact: EventFact): Applied {
  const attempt = attemptOf(record, fact.attempt);
  const { event } = fact;
  if (!attempt) return { kind: 'nothing', reason: 'no such attempt' };
  if (event.status === 'unknown') return { kind: 'nothing', reason: 'a word that nobody knows' };
  if (event.mode && event.mode !== (attempt.sandbox ? 'test' : 'live'))
    return { kind: 'nothing', reason: 'of the other mode' };
  const identity = event.dedupeKey === null ? undefined : `${attempt.adapter}|${attempt.n}|${event.dedupeKey}`;
  // A fetch tells the same failure under the same name, but proves the decline that a callback could not.
  const provesDecline = fact.own && event.kind === 'payment' && event.decline !== undefined;
  if (identity && record.identities.includes(identity) && !provesDecline)
    return { kind: 'nothing', reason: 'known already' };
  const mismatch = mismatchOf(attempt, fact);
  if (mismatch) return refused(attempt, event, mismatch);
  switch (event.kind) {
    case 'payment':
      return applyPayment(record, attempt, fact, identity);
    case 'refund':
      return applyRefund(record, attempt, event, identity);
    case 'chargeback':
      return applyChargeback(record, attempt, event, identity);
    case '3ds':
    case 'token':
    case 'ping':
      return { kind: 'nothing', reason: `a ${event.kind} event changes no payment` };
  }
}

/** Why the event cannot be about this attempt; undefined: it can. */
function mismatchOf(attempt: Attempt, { event, own }: EventFact): string | undefined {
  const { amount, currency, providerReference } = event;
  const known = attempt.providerReference;
  if (
    known !== null &&
    providerReference !== null &&
    known !== providerReference &&
    (attempt.referenceProven || !own)
  ) {
    return 'another provider reference';
  }
  if (currency !== null && currency !== attempt.currency) return `currency ${currency} instead of ${attempt.currency}`;
  if (amount === null) return undefined;
  if (!isDecimal(amount)) return 'an amount that is none';
  const compared = compareDecimals(amount, attempt.amount);
  if (event.kind === 'payment' ? compared !== 0 : compared > 0)
    return `amount ${amount} does not fit ${attempt.amount}`;
  return undefined;
}

function refused(attempt: Attempt, event: StatedEvent, why: string): Applied {
  return { kind: 'refused', ask: true, log: line(attempt, event, '', `refused ${event.kind} ${event.word}: ${why}`) };
}

/** What is settled for good is not unsettled, by nobody: the log tells that the provider said so. */
function contradicts(attempt: Attempt, event: StatedEvent): Applied {
  const message = `refused ${event.kind} ${event.word}: the attempt has ${attempt.outcome}`;
  return { kind: 'refused', ask: false, log: line(attempt, event, '', message) };
}

function line(attempt: Attempt, event: StatedEvent, code: string, message: string): LogLine {
  const transactionStatusId = attempt.outcome === 'open' ? 1 : attempt.outcome === 'succeeded' ? 2 : 3;
  const transactionId = event.subReference ?? event.providerReference ?? attempt.providerReference ?? '';
  return { attempt: attempt.n, transactionId, transactionStatusId, code, message };
}

function added(record: Facts, changed: Attempt, event: StatedEvent, identity: string | undefined, code = ''): Applied {
  const told = event.declineText ?? `${event.kind} ${event.status} (${event.word})`;
  const log = line(changed, event, code, told);
  return { kind: 'added', facts: { attempts: withAttempt(record, changed) }, log, ...(identity ? { identity } : {}) };
}

function applyPayment(
  record: PaymentRecord,
  attempt: Attempt,
  { event, at, own }: EventFact,
  identity?: string,
): Applied {
  const learns =
    event.providerReference !== null && (attempt.providerReference === null || (own && !attempt.referenceProven));
  const known: Attempt = learns
    ? { ...attempt, providerReference: event.providerReference, referenceProven: own }
    : attempt;
  const final = { ...known, action: null, settledAt: at } as const;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- statuses of other kinds do not come here
  switch (event.status) {
    case 'succeeded':
    case 'overpaid':
    case 'late': {
      if (attempt.outcome === 'succeeded') return nothingNew(record, known, attempt, event, identity);
      if (event.amount === null || event.currency === null) return refused(attempt, event, 'it names no amount');
      const late = event.status === 'late' || isLate(record, attempt);
      return added(record, { ...final, ...success, late }, event, identity);
    }
    case 'failed':
    case 'cancelled': {
      const cancelled = event.status === 'cancelled';
      // A callback may not prove its decline; what the provider then answers us does.
      const isDeclineNew = own && !cancelled && event.decline !== undefined && event.decline !== attempt.decline;
      if (attempt.outcome === 'succeeded' && !learns) return contradicts(attempt, event);
      if (attempt.outcome === 'succeeded' || (attempt.outcome === 'failed' && !isDeclineNew))
        return nothingNew(record, known, attempt, event, identity);
      const decline = cancelled ? null : (event.decline ?? '05');
      const threeDsResult = event.threeDsResult === undefined ? null : shortText(event.threeDsResult);
      const declineText = event.declineText === undefined ? null : shortText(event.declineText);
      const failed = {
        ...final,
        outcome: 'failed',
        unknown: false,
        cancelled,
        decline,
        declineText,
        threeDsResult,
        threeDs: known.threeDs || threeDsResult !== null,
        nothingCharged: false,
      } as const;
      return added(record, failed, event, identity, decline ?? '');
    }
    case 'expired':
      if (attempt.outcome !== 'open' && attempt.outcome !== 'expired' && !learns) return contradicts(attempt, event);
      if (attempt.outcome !== 'open') return nothingNew(record, known, attempt, event, identity);
      return added(record, { ...final, outcome: 'expired', unknown: false }, event, identity);
    default: {
      // authorised, pending, underpaid: no fact but that the provider knows the payment.
      const told = attempt.unknown && attempt.outcome === 'open';
      if (!learns && !told) return { kind: 'nothing', reason: 'nothing new' };
      return added(record, { ...known, unknown: false }, event, identity);
    }
  }
}

/** The outcome is known; only the provider's reference may still be learned. */
function nothingNew(record: Facts, known: Attempt, attempt: Attempt, event: StatedEvent, identity?: string): Applied {
  return known === attempt ? { kind: 'nothing', reason: 'nothing new' } : added(record, known, event, identity);
}

const refundRank = { pending: 0, failed: 1, succeeded: 2, reversed: 3 } as const;

function applyRefund(record: PaymentRecord, attempt: Attempt, event: StatedEvent, identity?: string): Applied {
  if (event.amount === null || event.currency === null) return refused(attempt, event, 'it names no amount');
  const amount = trimDecimal(event.amount);
  const state = event.status as ReportedRefund['state'];
  if (event.cumulative) return applyTotal(record, attempt, event, amount, identity);
  const subReference = event.subReference ?? null;
  if (subReference === null && !identity) return refused(attempt, event, 'it has neither number nor identity');
  const reported: ReportedRefund = { attempt: attempt.n, subReference, identity: event.dedupeKey ?? '', amount, state };
  const refunds = endRefund(record, reported);
  if (subReference === null) {
    // Known for as long as the payment lives, also when its identity has left the bounded set.
    if (record.reportedRefunds.some((other) => isSameUnnumbered(other, reported)))
      return { kind: 'nothing', reason: 'known already' };
    return addedFacts({ reportedRefunds: [...record.reportedRefunds, reported], refunds }, attempt, event, identity);
  }
  const told = record.reportedRefunds.filter(
    (other) => other.attempt === attempt.n && other.subReference === subReference,
  );
  const known = told.find((other) => other.state === state);
  // The success stays beside the reversal: only a part of it may have come back.
  const isOutranked = told.some((other) => refundRank[other.state] > refundRank[state]) && !isSettled(state);
  if (isOutranked || (known && compareDecimals(amount, known.amount) <= 0)) {
    return { kind: 'nothing', reason: 'nothing new' };
  }
  const reportedRefunds = [...record.reportedRefunds.filter((other) => other !== known), reported];
  return addedFacts({ reportedRefunds, refunds }, attempt, event, identity);
}

function addedFacts(facts: Partial<Facts>, attempt: Attempt, event: StatedEvent, identity?: string): Applied {
  const log = line(attempt, event, '', `${event.kind} ${event.status} (${event.word})`);
  return { kind: 'added', facts, log, ...(identity ? { identity } : {}) };
}

function isSettled(state: ReportedRefund['state']): boolean {
  return state === 'succeeded' || state === 'reversed';
}

function isSameUnnumbered(one: ReportedRefund, other: ReportedRefund): boolean {
  return one.attempt === other.attempt && one.subReference === null && one.identity === other.identity;
}

/** A sum so far. It only ever grows, and tells nothing about what was not given back. */
function applyTotal(
  record: PaymentRecord,
  attempt: Attempt,
  event: StatedEvent,
  amount: string,
  identity?: string,
): Applied {
  if (event.status !== 'succeeded') return refused(attempt, event, 'a sum so far of what did not succeed');
  const known = record.cumulatives.find((other) => other.attempt === attempt.n);
  if (known && compareDecimals(amount, known.amount) <= 0) return { kind: 'nothing', reason: 'nothing new' };
  const cumulatives = [...record.cumulatives.filter((other) => other !== known), { attempt: attempt.n, amount }];
  const refunds = endCovered(record, attempt.n, known?.amount ?? '0', amount);
  return addedFacts({ cumulatives, refunds }, attempt, event, identity);
}

/** Ends our open refunds, the oldest first, that explain how the sum grew: beside those that are known to have succeeded. */
function endCovered({ refunds }: PaymentRecord, n: number, from: string, to: string): PaymentRecord['refunds'] {
  const ours = refunds.filter(({ attempt }) => attempt === n);
  let covered = addDecimals(...ours.filter(({ state }) => state === 'succeeded').map(({ amount }) => amount));
  let unexplained = subtractDecimals(to, from);
  return refunds.map((refund) => {
    const { amount } = refund;
    const fits = compareDecimals(amount, unexplained) <= 0 && compareDecimals(addDecimals(covered, amount), to) <= 0;
    if (refund.attempt !== n || !isOpen(refund) || !fits) return refund;
    covered = addDecimals(covered, amount);
    unexplained = subtractDecimals(unexplained, amount);
    return { ...refund, state: 'succeeded' };
  });
}

function isOpen({ state }: Refund): boolean {
  return state !== 'succeeded' && state !== 'failed';
}

/** Ends our own refund that the report is about: by number, or the oldest open one of that amount. */
function endRefund(
  record: PaymentRecord,
  { attempt, subReference, amount, state }: ReportedRefund,
): PaymentRecord['refunds'] {
  if (state === 'pending') return record.refunds;
  const ours = record.refunds.filter((other) => other.attempt === attempt);
  const ended =
    subReference === null
      ? ours.find((other) => isOpen(other) && compareDecimals(other.amount, amount) === 0)
      : ours.find((other) => other.providerReference === subReference);
  if (!ended || ended.state === 'succeeded') return record.refunds;
  const result = state === 'failed' ? 'failed' : 'succeeded';
  return record.refunds.map((refund) => (refund === ended ? { ...refund, state: result } : refund));
}

function applyChargeback(record: PaymentRecord, attempt: Attempt, event: StatedEvent, identity?: string): Applied {
  const subReference = event.subReference ?? null;
  const stage = event.status as Stage;
  const order = event.orderHint ?? event.occurredAt?.getTime() ?? null;
  const same = record.stages.find(
    (other) => other.attempt === attempt.n && other.subReference === subReference && other.stage === stage,
  );
  if (same && (order === null || (same.order !== null && same.order >= order)))
    return { kind: 'nothing', reason: 'nothing new' };
  const stages = [
    ...record.stages.filter((other) => other !== same),
    { attempt: attempt.n, subReference, stage, order },
  ];
  return addedFacts({ stages }, attempt, event, identity);
}
