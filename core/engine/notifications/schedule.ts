/** When to try again, if at all. */
import { HOUR, MINUTE } from '../../base/async/time.ts';

export interface Schedule {
  /** Seconds before each attempt, counted from the one before it; their number is that of the attempts. */
  readonly attemptDelaysSeconds: readonly number[];
  /** The largest share of a delay that jitter may add. */
  readonly jitterFraction: number;
}

/** A receiver may not put a notification off for longer than this at a time. */
const longestRetryAfterMs = 24 * HOUR;
const longestJitterMs = 15 * MINUTE;

/**
 * Milliseconds until the next attempt after `tries` have failed, or undefined after the last. `atLeastMs`, such as the
 * receiver's `Retry-After`, may delay it, never hasten it; jitter (`random` from 0 to below 1) is only ever added.
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

/** `Retry-After` (seconds, or an HTTP date) in milliseconds from `now`; undefined where it is neither. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const time = /^[A-Z][a-z]{2,8}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
}
