/** The status answer: the payment as it stands; refunds and disputes are not shown. And when to ask for it. */
import { noNews, type HttpReply, type StatusReport, type StoredPayment } from '@gateway/contract';
import type { Options } from './options.ts';
import { readRefusal, readShown } from './pay.ts';
import { actionOf, toEvent } from './transaction.ts';

export function readStatus(reply: HttpReply, payment: StoredPayment, options: Options): StatusReport {
  const { code, named } = readRefusal(reply);
  if (reply.status === 404 && code === 'NO_TXN') return { news: 'nothing_charged' };
  if (reply.status !== 200) return noNews(named);
  const shown = readShown(reply, payment, options);
  if (!shown) return noNews('the answer is no status of this payment');
  const action = actionOf(shown);
  return { news: 'events', events: [{ ...toEvent(shown, { kind: 'payment' }), ...(action ? { action } : {}) }] };
}

const MINUTE = 60;
const HOUR = 3600;

export const reconcile = {
  stepsSeconds: [30, MINUTE, 2 * MINUTE, 5 * MINUTE],
  thenEverySeconds: 10 * MINUTE,
  giveUpAfterSeconds: 48 * HOUR,
} as const;

/** The longest that a payer may be given, where the action does not say when it lapses. */
const MAX_TTL = HOUR;
const GRACE = 10 * MINUTE;

/**
 * While the payer may still pay, and ten minutes on, ever more rarely; what is open after that can only be deemed, and
 * is asked for every hour until two days have passed. A transaction without action was deemed at once.
 */
export function nextFetch(
  { action, providerReference, endedAt }: StoredPayment,
  asked: number,
  now: Date,
): number | undefined {
  const ended = endedAt ?? now;
  const seconds = (from: Date, to: number): number => (to - from.getTime()) / 1000;
  if (seconds(ended, now.getTime()) > reconcile.giveUpAfterSeconds) return undefined;
  const lapses = action?.type === 'upi' ? Date.parse(action.expiry) : undefined;
  const delay = reconcile.stepsSeconds[asked] ?? reconcile.thenEverySeconds;
  const isDeemed = lapses === undefined && providerReference !== undefined;
  const left = seconds(now, lapses ?? ended.getTime() + MAX_TTL * 1000) + GRACE;
  return isDeemed || delay > left ? HOUR : delay;
}
