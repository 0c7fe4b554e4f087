/**
 * Decides what an attempt means for its notification: done, retry later, or give up. Pure: time and chance are given.
 */
import type { Delivery } from './deliver.ts';
import type { Verdict } from './delivery-queue.ts';
import { readRetryAfter } from '../../base/text/read-time.ts';
import { nextDelayMs, type Schedule } from './schedule.ts';

/** The shortest delay after a timeout or a 429: the receiver is overloaded. */
const overloadedDelayMs = 60_000;

export interface JudgeOptions {
  /** Attempts before this one. */
  readonly tries: number;
  readonly schedule: Schedule;
  readonly now: Date;
  /** From 0 to below 1. */
  readonly random: number;
}

/** An attempt that was cut off is not counted, and its notification is due again immediately. */
export function judgeDelivery(
  { outcome, status, timedOut, retryAfter }: Delivery,
  { tries, schedule, now, random }: JudgeOptions,
): Verdict {
  if (outcome === 'cut') return { state: 'waiting', tries, delayMs: 0 };
  if (outcome !== 'failed') return { state: outcome, tries: tries + 1 };
  const atLeastMs = Math.max(timedOut || status === 429 ? overloadedDelayMs : 0, readRetryAfter(retryAfter, now) ?? 0);
  const delayMs = nextDelayMs(tries + 1, schedule, random, atLeastMs);
  if (delayMs === undefined) return { state: 'exhausted', tries: tries + 1 };
  return { state: 'waiting', tries: tries + 1, delayMs };
}
