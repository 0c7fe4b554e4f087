/**
 * What one event of a provider adds to the facts. Its amount, currency and reference are compared here, for every
 * adapter.
 */
import { compareDecimals, isDecimal } from '@paywright/contract';
import { attemptOf, chargedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import type { Facts, PaymentRecord } from '../../../database/collections/payment-request.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import { isChargedStatus, type MappedEvent } from '../../providers/mapped-event.ts';
import { largerOf } from './disputes.ts';
import { applyChargebackEvent } from './apply-chargeback-event.ts';
import { isBeingClosed } from './apply-close.ts';
import { lacksItsMoney, withFailedRequest } from './apply-collection.ts';
import { isLate, payerActionLost, success, withPayerActionLost } from './apply-outcome.ts';
import { awaitsAuthorisation, exceedsAuthorised, fitsCharge, isPart, withCaptured } from './captured.ts';
import { applyRefundEvent } from './apply-refund-event.ts';
import { namesAnother, withEventIds } from './provider-references.ts';
import { isContradicted } from './refund-reports.ts';
import { added, contradicts, misfit, refused } from './event-result.ts';
import { shortText, type FactResult } from './fact-result.ts';

export interface EventFact {
  readonly type: 'event';
  readonly attempt: number;
  readonly event: MappedEvent;
  readonly at: Date;
  /** The event came over our own connection (a status fetch), so its provider reference is verified. */
  readonly fetched: boolean;
  /** The adapter whose callback reported it; absent: the adapter of the attempt. */
  readonly adapter?: string;
}

/**
 * The note of an event that has no effect because the other mode proved it: the sandbox for a live payment, or the live
 * side for a test payment.
 */
export const otherMode = 'of the other mode';

/** The note of an event that has no effect because another account of the adapter proved it. */
export const otherAccount = 'of another account';

export function isOfOtherMode({ sandbox }: Attempt, { mode }: MappedEvent): boolean {
  return mode !== undefined && mode !== (sandbox ? 'test' : 'live');
}

export function applyEvent(record: PaymentRecord, fact: EventFact): FactResult {
  const attempt = attemptOf(record, fact.attempt);
  const { event } = fact;
  if (!attempt) return { kind: 'nothing', reason: 'no such attempt' };
  if (event.status === 'unknown') return { kind: 'nothing', reason: 'an unknown status' };
  if (isOfOtherMode(attempt, event)) return { kind: 'nothing', reason: otherMode };
  // A larger sum is news, even under an id that was seen with a smaller sum.
  const raisesCapture =
    event.capturedAmount !== undefined &&
    isDecimal(event.capturedAmount) &&
    compareDecimals(event.capturedAmount, chargedAmount(attempt)) > 0;
  const eventId = event.dedupeKey === null ? undefined : `${attempt.adapter}|${attempt.n}|${event.dedupeKey}`;
  // A fetch reports the same failure under the same id, but verifies the decline that a callback could not.
  const verifiesDecline = fact.fetched && event.kind === 'payment' && event.decline !== undefined;
  // A fetch shows the present state of a refund, under an id that a callback may have had.
  const { kind, subReference } = event;
  const confirmsRefund =
    fact.fetched && kind === 'refund' && subReference !== undefined && isContradicted(record, attempt.n, subReference);
  if (eventId && record.seenEventIds.includes(eventId) && !verifiesDecline && !raisesCapture && !confirmsRefund)
    return { kind: 'nothing', reason: 'known already' };
  const mismatch = mismatchOf(attempt, fact);
  if (mismatch) return misfit(attempt, event, mismatch);
  switch (event.kind) {
    case 'payment':
      return event.orRefunded
        ? applyReversal(record, attempt, fact, eventId)
        : withExcess(attempt, applyPayment(record, attempt, fact, eventId));
    case 'refund':
      return applyRefundEvent(record, attempt, fact, eventId);
    case 'chargeback':
      return applyChargebackEvent(record, attempt, event, eventId);
    case '3ds':
    case 'token':
    case 'ping':
      return { kind: 'nothing', reason: `a ${event.kind} event changes no payment` };
  }
}

/** Why the event cannot be about this attempt; undefined: it can. */
function mismatchOf(attempt: Attempt, { adapter = attempt.adapter, event, fetched }: EventFact): string | undefined {
  if (adapter !== attempt.adapter) return `the attempt went to ${attempt.adapter}`;
  const { amount, currency } = event;
  if (namesAnother(attempt, event, fetched)) return 'another provider reference';
  // A dispute is about this payment whatever its amount and currency are: the payer's bank determines them.
  if (event.kind === 'chargeback') return undefined;
  if (currency !== null && currency !== attempt.currency) return `currency ${currency} instead of ${attempt.currency}`;
  if (amount === null) return undefined;
  if (!isDecimal(amount)) return 'the amount is not a valid number';
  if (fitsAmount(attempt, event, amount)) return undefined;
  const text = (one: string): string => moneyText(one, attempt.currency);
  return event.capturedAmount === undefined
    ? `amount ${text(amount)} does not fit ${text(chargedAmount(attempt))}`
    : `captured ${text(event.capturedAmount)} of ${text(amount)} does not fit ${text(attempt.amount)}`;
}

/**
 * A payment event names the charged amount, or the reserved amount while nothing is charged. Other events name a part
 * of it.
 */
function fitsAmount(attempt: Attempt, event: MappedEvent, amount: string): boolean {
  if (event.kind !== 'payment') return compareDecimals(amount, largerOf(attempt.amount, attempt.received)!) <= 0;
  if (isChargedStatus(event.status)) return fitsCharge(attempt, event, amount);
  if (event.failedRequest === 'capture' && isPart(attempt, amount)) return true;
  return [chargedAmount(attempt), attempt.amount].some((known) => compareDecimals(amount, known) === 0);
}

/**
 * The provider gave back all the money, and does not say whether it had been captured. An attempt that did not succeed
 * is cancelled. Its refund is kept as well, because the report of the success may still arrive.
 */
function applyReversal(record: PaymentRecord, attempt: Attempt, fact: EventFact, eventId?: string): FactResult {
  const { amount, currency } = attempt;
  const event = { ...fact.event, kind: 'refund', status: 'succeeded', amount, currency, cumulative: true } as const;
  const refund = applyRefundEvent(record, attempt, { ...fact, event }, eventId);
  if (attempt.outcome === 'succeeded') return refund;
  const cancelled = applyPayment(record, attempt, fact, eventId);
  if (cancelled.kind !== 'added') return refund;
  if (refund.kind !== 'added') return cancelled;
  return { ...cancelled, facts: { ...refund.facts, ...cancelled.facts } };
}

function applyPayment(
  record: PaymentRecord,
  attempt: Attempt,
  { event, at, fetched }: EventFact,
  eventId?: string,
): FactResult {
  const named = withEventIds(attempt, event, fetched);
  const learns = named !== attempt;
  const known = withFailedRequest(withCaptured(withShown(named, event), event), event, at);
  const final = { ...known, action: null, settledAt: at } as const;
  // The payer left the step, so the provider ends it without a charge. That is no decline, and no contradiction.
  const endsUncharged = event.status === 'failed' || event.status === 'cancelled' || event.status === 'expired';
  if (attempt.outcome !== 'succeeded' && attempt.replacedAt && endsUncharged)
    return unchanged(record, known, attempt, event, eventId);
  if (isBeingClosed(attempt) && endsUncharged)
    return { kind: 'nothing', reason: 'the order is being closed: the answer to that decides' };
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- statuses of other kinds do not come here
  switch (event.status) {
    case 'succeeded':
    case 'overpaid':
    case 'late': {
      if (attempt.outcome === 'succeeded') return unchanged(record, known, attempt, event, eventId);
      if (event.amount === null || event.currency === null) return refused(attempt, event, 'it names no amount');
      if (awaitsAuthorisation(known, event)) return unchanged(record, known, attempt, event, eventId);
      const late = event.status === 'late' || isLate(record, attempt);
      return added(record, { ...final, ...success, late }, event, eventId);
    }
    case 'failed':
    case 'cancelled': {
      const cancelled = event.status === 'cancelled';
      // A callback may not sign its decline. The provider's answer to our own fetch is verified.
      const isDeclineNew = fetched && !cancelled && event.decline !== undefined && event.decline !== attempt.decline;
      const isMoneyLost = lacksItsMoney(known) && !lacksItsMoney(attempt);
      if (attempt.outcome === 'succeeded' && !learns && !isMoneyLost) return contradicts(attempt, event);
      if (attempt.outcome === 'succeeded' || (attempt.outcome === 'failed' && !isDeclineNew))
        return unchanged(record, known, attempt, event, eventId);
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
      const result = added(record, failed, event, eventId, decline ?? '');
      // The merchant requested this: reserved money is released.
      const isReleased = cancelled && attempt.voidRequestedAt !== null;
      return isReleased ? withCancel(result, record.cancelledAt ?? at) : result;
    }
    case 'expired':
      if (attempt.outcome !== 'open' && attempt.outcome !== 'expired' && !learns) return contradicts(attempt, event);
      if (attempt.outcome !== 'open') return unchanged(record, known, attempt, event, eventId);
      return added(record, { ...final, outcome: 'expired', unknown: false }, event, eventId);
    default: {
      // `pending`, `underpaid`: the only fact is that the provider knows the payment.
      const isKnownAgain = attempt.unknown && attempt.outcome === 'open';
      // Also known of an attempt that has failed: a capture may be reported later, and pays it then.
      const isReserved = event.status === 'authorised' && attempt.outcome !== 'succeeded' && !attempt.authorisedAt;
      // An action that comes with the event is stored by a separate fact.
      const next = withPayerActionLost(known, event.awaitsPayer === true && !event.action);
      if (next === attempt && !isKnownAgain && !isReserved) return { kind: 'nothing', reason: 'nothing new' };
      const authorisedAt = isReserved ? at : next.authorisedAt;
      const isLost = next.stepLost && !attempt.stepLost;
      return added(
        record,
        { ...next, authorisedAt, unknown: false },
        event,
        eventId,
        '',
        isLost ? payerActionLost : undefined,
      );
    }
  }
}

/** The log entry of a capture that exceeds what was authorised says so, and raises an alarm. */
function withExcess(attempt: Attempt, result: FactResult): FactResult {
  if (result.kind !== 'added') return result;
  const changed = result.facts.attempts?.[attempt.n - 1];
  if (!changed || !exceedsAuthorised(changed) || exceedsAuthorised(attempt)) return result;
  const message = `${result.log.message}; captured more than ${moneyText(attempt.amount, attempt.currency)}`;
  return { ...result, log: { ...result.log, message, misfit: 'payment' } };
}

function withCancel(result: FactResult, cancelledAt: Date): FactResult {
  return result.kind === 'added' ? { ...result, facts: { ...result.facts, cancelledAt } } : result;
}

/**
 * The received coins and what is reported about 3D Secure. Returns the attempt itself if the event shows nothing new.
 */
function withShown(attempt: Attempt, event: MappedEvent): Attempt {
  const { threeDs: threeDsShown = attempt.threeDsShown } = event;
  // The received amount only grows: an older message says nothing about what arrived since.
  const received = largerOf(attempt.received, event.received ?? null);
  const isNew = received !== attempt.received || threeDsShown !== attempt.threeDsShown;
  return isNew ? { ...attempt, received, threeDsShown } : attempt;
}

/** The outcome is known. Only the provider's reference, or what the event shows, may be new. */
function unchanged(record: Facts, known: Attempt, attempt: Attempt, event: MappedEvent, eventId?: string): FactResult {
  return known === attempt ? { kind: 'nothing', reason: 'nothing new' } : added(record, known, event, eventId);
}
