/**
 * What a provider reports as captured of an authorised payment: the sum so far, or single captures, each of which
 * counts once. All reports are kept, and the sum is limited when it is read, so that their order cannot matter.
 */
import { addDecimals, compareDecimals, trimDecimal } from '@paywright/contract';
import { chargedAmount, hasCaptureReports, type Attempt } from '../../../database/collections/attempt.ts';
import type { Facts, PaymentRecord } from '../../../database/collections/payment-request.ts';
import { isChargedStatus, type MappedEvent } from '../../providers/mapped-event.ts';
import { isLate, success } from './apply-outcome.ts';
import { largerOf } from './disputes.ts';

/** True for a report about one single capture, which its reference identifies. */
function isSingleCapture({ status, capturedAmount, subReference }: MappedEvent): boolean {
  return isChargedStatus(status) && capturedAmount === undefined && subReference !== undefined;
}

/** True if the success of a payment may name this amount. Otherwise it is about another amount, and never believed. */
export function fitsCharge(attempt: Attempt, event: MappedEvent, amount: string): boolean {
  const isEqual = (other: string | undefined): boolean => other !== undefined && compareDecimals(amount, other) === 0;
  const isRequested = isEqual(attempt.capture?.amount);
  if (event.capturedAmount !== undefined)
    return (isRequested || isEqual(attempt.amount)) && isPart(attempt, event.capturedAmount);
  if (isSingleCapture(event)) return isPart(attempt, amount);
  const isKnown = attempt.outcome === 'succeeded' && isEqual(chargedAmount(attempt));
  return isKnown || isRequested || (attempt.capture === null && isEqual(attempt.amount));
}

/** True for an amount above 0 that is at most the authorised amount. */
export function isPart({ amount: authorised }: Attempt, amount: string): boolean {
  return compareDecimals(amount, '0') > 0 && compareDecimals(amount, authorised) <= 0;
}

/** The attempt with what the event reports as captured. Returns the attempt itself if that is nothing new. */
export function withCaptured(attempt: Attempt, event: MappedEvent): Attempt {
  const { amount, currency, capturedAmount, subReference } = event;
  if (!isChargedStatus(event.status) || amount === null || currency === null) return attempt;
  const hasReports = hasCaptureReports(attempt);
  // What an earlier success charged counts, whatever is reported later.
  const total =
    attempt.capturedTotal ?? (attempt.outcome === 'succeeded' && !hasReports ? chargedAmount(attempt) : null);
  if (subReference !== undefined && isSingleCapture(event)) {
    const { captures = [] } = attempt;
    const known = captures.find((one) => one.subReference === subReference);
    if (known && compareDecimals(known.amount, amount) >= 0) return attempt;
    const others = captures.filter((one) => one !== known);
    const all = [...others, { subReference, amount: trimDecimal(amount) }];
    return { ...attempt, captures: all, ...(total !== null && { capturedTotal: trimDecimal(total) }) };
  }
  const reported = trimDecimal(capturedAmount ?? amount);
  if (!hasReports && compareDecimals(reported, chargedAmount(attempt)) === 0) return attempt;
  const larger = largerOf(total, reported)!;
  return attempt.capturedTotal !== undefined && compareDecimals(larger, attempt.capturedTotal) === 0
    ? attempt
    : { ...attempt, capturedTotal: larger };
}

/**
 * True for a single capture of less than the payment's amount while no authorisation is known. It may belong to a sale
 * of another amount, so it counts once the payment is reported as authorised.
 */
export function awaitsAuthorisation(attempt: Attempt, event: MappedEvent): boolean {
  return (
    attempt.authorisedAt === null &&
    isSingleCapture(event) &&
    event.amount !== null &&
    compareDecimals(event.amount, attempt.amount) < 0
  );
}

/** True if the single captures are more than was authorised. Only what was authorised counts as paid. */
export function exceedsAuthorised({ amount, captures = [] }: Attempt): boolean {
  return compareDecimals(addDecimals('0', ...captures.map((one) => one.amount)), amount) > 0;
}

/** Pays the attempts whose captures were reported before their authorisation. */
export function withCapturesPaid(facts: Facts, before: PaymentRecord, at: Date): readonly Attempt[] {
  if (!facts.attempts.some(isCapturedUnpaid)) return facts.attempts;
  return facts.attempts.map((attempt) => {
    if (!isCapturedUnpaid(attempt)) return attempt;
    return { ...attempt, ...success, late: attempt.late || isLate(before, attempt), settledAt: at };
  });
}

function isCapturedUnpaid({ outcome, authorisedAt, captures = [] }: Attempt): boolean {
  return outcome !== 'succeeded' && authorisedAt !== null && captures.length > 0;
}
