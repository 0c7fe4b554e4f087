/** The payment as it is, asked by our reference, and when to ask. The switch shows no refunds and disputes there. */
import { defined, noInformation, urlPath, type Ability, type StoredPayment } from '@paywright/contract';
import type { Options } from './options.ts';
import { actionOf, readShown, toEvent } from './transaction.ts';
import { errors, signedGet } from './wire.ts';

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const path = urlPath`/upi/v1/status/${ctx.options.merchantId}/${payment.reference}`;
  const reply = await ctx.http.send(signedGet(ctx, path));
  const { code, named } = errors.read(reply);
  if (reply.status === 404 && code === 'NO_TXN') return { result: 'nothing_charged' };
  if (reply.status !== 200) return noInformation(named);
  const shown = readShown(reply, payment, ctx.options);
  if (!shown) return noInformation('the answer is no status of this payment');
  return { result: 'events', events: [{ ...toEvent(shown), ...defined({ action: actionOf(shown) }) }] };
};

const MINUTE = 60;
const HOUR = 3600;

export const reconcile = {
  stepsSeconds: [30, MINUTE, 2 * MINUTE, 5 * MINUTE],
  thenEverySeconds: 10 * MINUTE,
  giveUpAfterSeconds: 48 * HOUR,
} as const;

/** The longest that a payer may be given, where the action does not say when it expires. */
const MAX_TTL = HOUR;
const GRACE = 10 * MINUTE;

/**
 * While the payer may still pay, and ten minutes on, ever more rarely; what is open after that can only be deemed, and
 * is asked for every hour until two days have passed. A transaction without action was deemed at once.
 */
export function nextFetch(payment: StoredPayment, asked: number, now: Date): number | undefined {
  const { action, providerReference, endedAt } = payment;
  const ended = endedAt ?? now;
  const seconds = (from: Date, to: number): number => (to - from.getTime()) / 1000;
  if (seconds(ended, now.getTime()) > reconcile.giveUpAfterSeconds) return undefined;
  const expiresAt = action?.type === 'upi' ? Date.parse(action.expiry) : undefined;
  const delay = reconcile.stepsSeconds[asked] ?? reconcile.thenEverySeconds;
  const isDeemed = expiresAt === undefined && providerReference !== undefined;
  const left = seconds(now, expiresAt ?? ended.getTime() + MAX_TTL * 1000) + GRACE;
  return isDeemed || delay > left ? HOUR : delay;
}
