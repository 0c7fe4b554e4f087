/** When a payment is to be checked next: a pure function of its facts and the adapter's policy. */
import { defaultReconcilePolicy, type ReconcilePolicy } from '@paywright/contract';
import type { Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { Registry } from '../../providers/registry.ts';
import { DAY, HOUR, SECOND } from '../../../base/async/time.ts';
import { laterCharges } from '../refund/double-charge.ts';
import { isBeingClosed, waitsForPayer } from '../state/apply-close.ts';
import { toStoredPayment } from '../submit/stored-payment.ts';
import { canClose } from '../submit/unfinished-step.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

/** Seconds from one check to the next. Undefined: no check is left, and an operator must review the payment. */
export type DelayOf = (record: PaymentRecord, attempt: Attempt) => number | undefined;

/** Refunds have no policy of their own: one without an answer is checked soon, a queued one seldom. */
const refundDelaysSeconds = [5, 30, 120, 600, 3600] as const;
const REFUND_DAILY_SECONDS = DAY / SECOND;
/**
 * Late checks of a payment or refund that failed because the provider never received it: the provider may have received
 * it after all.
 */
const lateCheckHours = [1, 6, 24] as const;
/** The time between two answers that nothing was charged, unless less is enough to believe them. */
const MAX_CONFIRMATION_GAP_SECONDS = 60;
/**
 * Delays between the tries to close the order of an expired payment. After the last one, about a day after the first,
 * the payment expires without a confirmation: money that arrives later still counts.
 */
const closeDelaysSeconds = [60, 300, 900, 3600, 21_600, 64_800] as const;
/** An adapter that is off cannot be called. It may be on by then. */
const OFF_DELAY_SECONDS = HOUR / SECOND;

export interface ScheduleDeps {
  readonly registry: Registry;
  readonly calls: Pick<ProviderCalls, 'nextFetch'>;
  readonly encrypter: Encrypter;
  readonly now: () => Date;
}

/** The delay by the adapter if it plans its own fetches, else by the policy in its manifest. */
export function createDelayOf({ registry, calls, encrypter, now }: ScheduleDeps): DelayOf {
  return (record, attempt) => {
    const active = registry.byName(accountRefOf(attempt));
    if (!active) return OFF_DELAY_SECONDS;
    const { reconcile = defaultReconcilePolicy } = active.adapter.manifest;
    const byPolicy = policyDelay(reconcile, attempt, now());
    if (!active.adapter.nextFetch) return byPolicy;
    const seconds = calls.nextFetch(active, toStoredPayment(encrypter, record, attempt), attempt.checks);
    return seconds === 'by_policy' ? byPolicy : seconds;
  };
}

export interface ScheduleTerms {
  readonly delayOf: DelayOf;
  /** True if the provider can close the order of the attempt. */
  readonly canClose: (attempt: Attempt) => boolean;
  /** How long after a submission *nothing was charged* is believed. */
  readonly nothingChargedAfterSeconds: number;
  readonly refundsDouble: (attempt: Attempt) => boolean;
}

export interface Schedule extends Pick<ScheduleTerms, 'delayOf' | 'canClose' | 'refundsDouble'> {
  readonly nextCheckAt: (record: PaymentRecord, now: Date) => Date | null;
}

/** The schedule by config: how long *nothing was charged* is doubted, and whether a second charge is refunded. */
export function createSchedule(
  deps: ScheduleDeps,
  config: Pick<ScheduleTerms, 'nothingChargedAfterSeconds'> & { readonly refundDoubleCharge: boolean },
): Schedule {
  const delayOf = createDelayOf(deps);
  const refundsDouble = (attempt: Attempt): boolean =>
    config.refundDoubleCharge && deps.registry.byName(accountRefOf(attempt))?.adapter.refund !== undefined;
  const closes = (attempt: Attempt): boolean => canClose(deps.registry, attempt);
  const { nothingChargedAfterSeconds } = config;
  const terms: ScheduleTerms = { delayOf, canClose: closes, refundsDouble, nothingChargedAfterSeconds };
  return { delayOf, canClose: closes, refundsDouble, nextCheckAt: (record, now) => nextCheckAt(record, terms, now) };
}

export function nextCheckAt(record: PaymentRecord, terms: ScheduleTerms, now: Date): Date | null {
  const times = [
    ...record.attempts.map((attempt) => attemptCheckAt(record, attempt, terms, now)),
    ...record.refunds.map((refund) => refundCheckAt(refund)),
    laterCharges(record).some(terms.refundsDouble) ? now : null,
  ];
  return earliest(...times);
}

function attemptCheckAt(record: PaymentRecord, attempt: Attempt, terms: ScheduleTerms, now: Date): Date | null {
  // While the submission runs, its own answer comes first, whatever was requested.
  if (attempt.endedAt === null) return awaitsAnswer(attempt) ? attempt.deadlineAt : null;
  // A close without an answer: the process that asked the provider died before it stored the answer.
  const closing = isBeingClosed(attempt) ? now : closeAt(record, attempt, terms);
  return earliest(closing, fetchAt(record, attempt, terms, now));
}

function fetchAt(record: PaymentRecord, attempt: Attempt, terms: ScheduleTerms, now: Date): Date | null {
  if (attempt.fetchesRequested > attempt.fetchesDone) {
    return attempt.lastCheckedAt && attempt.fetchFailures
      ? later(attempt.lastCheckedAt, backoffSeconds(attempt.fetchFailures))
      : now;
  }
  if (attempt.seenToken !== null)
    return attempt.lastCheckedAt ? later(attempt.lastCheckedAt, backoffSeconds(attempt.seenFailures)) : now;
  if (isWatched(attempt)) return plannedAt(record, attempt, terms.delayOf);
  if (attempt.outcome !== 'open' || attempt.needsReview) return lateCheckAt(attempt);
  return earliest(plannedAt(record, attempt, terms.delayOf), confirmationAt(attempt, terms));
}

/**
 * When core asks the provider to close the unpaid order, because the payment expires; after the last try, when the
 * payment expires without a confirmation. Null: never.
 */
export function closeAt(
  record: Pick<PaymentRecord, 'expiresAt' | 'statusId' | 'attempts'>,
  attempt: Attempt,
  { canClose: closes }: Pick<ScheduleTerms, 'canClose'>,
): Date | null {
  const { expiresAt } = record;
  if (!expiresAt || !isWaiting(record, attempt) || !closes(attempt)) return null;
  const { expiryTries = 0, requestedAt = expiresAt } = attempt.close ?? {};
  if (expiryTries === 0) return expiresAt;
  return later(requestedAt, closeDelaysSeconds[expiryTries - 1] ?? 0);
}

/** True after the last try to close the order of an expired payment, if the payer has still not paid. */
export function isExpiryOver(record: Pick<PaymentRecord, 'statusId' | 'attempts'>, attempt: Attempt): boolean {
  const { state, expiryTries = 0 } = attempt.close ?? {};
  return state === 'not_closed' && expiryTries > closeDelaysSeconds.length && isWaiting(record, attempt);
}

/** True if the payment is pending only because this attempt waits for its payer. */
function isWaiting({ statusId, attempts }: Pick<PaymentRecord, 'statusId' | 'attempts'>, attempt: Attempt): boolean {
  return statusId === status.pending && attempts.length === attempt.n && waitsForPayer(attempt);
}

/** When the policy plans the next check. Null: its last step is done. */
export function plannedAt(record: PaymentRecord, attempt: Attempt, delayOf: DelayOf): Date | null {
  const seconds = delayOf(record, attempt);
  return seconds === undefined ? null : later(attempt.lastCheckedAt ?? attempt.endedAt ?? attempt.openedAt, seconds);
}

/**
 * An attempt that core ended may still succeed. It is checked to the end of its policy. An operator reviews it only if
 * its provider gives no information for days.
 */
export function isWatched({ outcome, replacedAt, needsReview }: Attempt): boolean {
  return outcome !== 'open' && outcome !== 'succeeded' && replacedAt instanceof Date && !needsReview;
}

/**
 * For an attempt whose submission has not ended: true if its outcome is unknown, or if it is unknown whether the
 * demanded 3D Secure took place. If the process died, no answer arrives, and a check ends the submission.
 */
export function awaitsAnswer({ outcome, threeDsDemand }: Attempt): boolean {
  return outcome === 'open' || (outcome === 'succeeded' && threeDsDemand !== null);
}

/**
 * When core asks again whether nothing was charged, whatever the policy says. Null: core has asked, or there is no
 * need.
 */
export function confirmationAt(
  { notFoundAt, endedAt, lastCheckedAt }: Attempt,
  { nothingChargedAfterSeconds }: Pick<ScheduleTerms, 'nothingChargedAfterSeconds'>,
): Date | null {
  if (notFoundAt === null || endedAt === null) return null;
  const gap = Math.min(nothingChargedAfterSeconds, MAX_CONFIRMATION_GAP_SECONDS);
  const at = latest(later(endedAt, nothingChargedAfterSeconds), later(notFoundAt, gap));
  if (!lastCheckedAt) return at;
  return lastCheckedAt >= at ? null : latest(at, later(lastCheckedAt, gap));
}

/** When a payment that the provider never received is checked again; null: no check is needed. */
export function lateCheckAt(attempt: Attempt): Date | null {
  const { nothingCharged, lateChecks, settledAt, lastCheckedAt, fetchFailures } = attempt;
  const hours = lateChecks === null ? undefined : lateCheckHours[lateChecks];
  if (!nothingCharged || hours === undefined || !settledAt) return null;
  const at = later(settledAt, hours * (HOUR / SECOND));
  // The provider did not answer: it is asked again, and the next hour follows after that.
  return fetchFailures > 0 && lastCheckedAt ? latest(at, later(lastCheckedAt, backoffSeconds(fetchFailures))) : at;
}

/** When a refund that failed because the provider did not show it is checked again; null: no check is needed. */
export function lateRefundCheckAt({ state, notShownAt, lastCheckedAt }: Refund): Date | null {
  if (state !== 'failed' || notShownAt === null) return null;
  const times = lateCheckHours.map((hours) => later(notShownAt, hours * (HOUR / SECOND)));
  return times.find((time) => !lastCheckedAt || lastCheckedAt < time) ?? null;
}

function earliest(...times: readonly (Date | null)[]): Date | null {
  const known = times.filter((time) => time !== null).map((time) => time.getTime());
  return known.length > 0 ? new Date(Math.min(...known)) : null;
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}

/** 5 s, doubled with each try, up to an hour. */
function backoffSeconds(tries: number): number {
  return Math.min(3600, 5 * 2 ** Math.min(tries - 1, 10));
}

/** When a refund is checked next; null: no check is needed. */
export function refundCheckAt(refund: Refund): Date | null {
  const { state, requestedAt, lastCheckedAt, sentAt, checks } = refund;
  if (state === 'succeeded' || state === 'failed') return lateRefundCheckAt(refund);
  if (sentAt === null && lastCheckedAt === null) return requestedAt;
  // The merchant has to act: only a fetch, once a day, shows whether the provider sent the money after all.
  if (state === 'needs_merchant') return later(lastCheckedAt ?? requestedAt, REFUND_DAILY_SECONDS);
  return later(lastCheckedAt ?? requestedAt, refundDelaysSeconds[checks] ?? REFUND_DAILY_SECONDS);
}

function later(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}

/** The policy of the manifest: first the steps, then regular checks, then none. */
function policyDelay(policy: ReconcilePolicy, attempt: Attempt, now: Date): number | undefined {
  const since = (now.getTime() - (attempt.endedAt ?? attempt.openedAt).getTime()) / 1000;
  if (attempt.checks > 0 && since > policy.giveUpAfterSeconds) return undefined;
  return policy.stepsSeconds[attempt.checks] ?? policy.thenEverySeconds;
}
