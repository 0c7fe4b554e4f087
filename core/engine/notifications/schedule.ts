/** The schedule of retries. */
import { HOUR, MINUTE } from '../../base/async/time.ts';

export interface Schedule {
  /** Seconds before each attempt, counted from the previous one. There are as many attempts as entries. */
  readonly attemptDelaysSeconds: readonly number[];
  /** The largest share of a delay that jitter may add. */
  readonly jitterFraction: number;
}

/** The longest delay that a receiver may ask for at a time. */
const longestRetryAfterMs = 24 * HOUR;
const longestJitterMs = 15 * MINUTE;

/**
 * Milliseconds until the next attempt after `tries` have failed, or undefined after the last attempt. `atLeastMs`,
 * such as the receiver's `Retry-After`, can only delay it. Jitter (`random` from 0 to below 1) is only ever added.
 */
export function nextDelayMs(
  tries: number,
  { attemptDelaysSeconds, jitterFraction }: Schedule,
  random: number,
  atLeastMs = 0,
): number | undefined {
  const seconds = attemptDelaysSeconds[tries];
  if (seconds === undefined) return undefined;
  const delay = Math.max(seconds * 1000, Math.min(atLeastMs, longestRetryAfterMs));
  return Math.round(delay + Math.min(delay * jitterFraction * random, longestJitterMs));
}
