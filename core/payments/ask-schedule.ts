/** When the provider is to be asked next about a payment: a pure function of the facts and the adapter's policy. */
import type { ReconcilePolicy } from '@gateway/contract';
import type { Attempt, PaymentRecord, Refund } from './facts.ts';

/** Seconds from one question to the next; undefined: a person must look. */
export type DelayOf = (record: PaymentRecord, attempt: Attempt) => number | undefined;

/** Refunds have no policy of their own: the answer that never came is asked for soon, a queued one seldom. */
const refundDelaysSeconds = [5, 30, 120, 600, 3600] as const;
const REFUND_DAILY_SECONDS = 86_400;

export function nextAskAt(record: PaymentRecord, delayOf: DelayOf, now: Date): Date | null {
  const times = [
    ...record.attempts.map((attempt) => attemptAskAt(record, attempt, delayOf, now)),
    ...record.refunds.map((refund) => refundAskAt(refund)),
  ].filter((time) => time !== null);
  return times.length ? new Date(Math.min(...times.map((time) => time.getTime()))) : null;
}

function attemptAskAt(record: PaymentRecord, attempt: Attempt, delayOf: DelayOf, now: Date): Date | null {
  // While the submission runs its own answer comes first, whatever is wished for.
  if (attempt.endedAt === null) return attempt.outcome === 'open' ? attempt.deadlineAt : null;
  if (attempt.wishes > attempt.answered) {
    return attempt.askedAt && attempt.wishFails ? later(attempt.askedAt, backoffSeconds(attempt.wishFails)) : now;
  }
  if (attempt.commitNote !== null) return attempt.askedAt ? later(attempt.askedAt, backoffSeconds(attempt.asked)) : now;
  if (attempt.outcome !== 'open' || attempt.gaveUp) return null;
  const seconds = delayOf(record, attempt);
  return seconds === undefined ? null : later(attempt.askedAt ?? attempt.endedAt, seconds);
}

/** 5 s, doubled with each try, at most an hour. */
function backoffSeconds(tries: number): number {
  return Math.min(3600, 5 * 2 ** Math.min(tries - 1, 10));
}

function refundAskAt({ state, requestedAt, askedAt, asked }: Refund): Date | null {
  if (state === 'succeeded' || state === 'failed') return null;
  return later(askedAt ?? requestedAt, refundDelaysSeconds[asked] ?? REFUND_DAILY_SECONDS);
}

function later(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}

/** The manifest's policy: steps, then regularly, then given up. */
export function policyDelay(policy: ReconcilePolicy, attempt: Attempt, now: Date): number | undefined {
  const since = (now.getTime() - (attempt.endedAt ?? attempt.openedAt).getTime()) / 1000;
  if (attempt.asked > 0 && since > policy.giveUpAfterSeconds) return undefined;
  return policy.stepsSeconds[attempt.asked] ?? policy.thenEverySeconds;
}
