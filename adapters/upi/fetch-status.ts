/**
 * Status fetch: asks for the payment by our reference, and decides when to ask. The answer does not show refunds and
 * disputes.
 */
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
  if (!shown) return noInformation('the answer is not a status of this payment');
  return { result: 'events', events: [{ ...toEvent(shown), ...defined({ action: actionOf(shown) }) }] };
};

const MINUTE = 60;
const HOUR = 3600;

export const reconcile = {
  stepsSeconds: [30, MINUTE, 2 * MINUTE, 5 * MINUTE],
  thenEverySeconds: 10 * MINUTE,
  giveUpAfterSeconds: 48 * HOUR,
} as const;

/** Maximum time for the payer to pay, used if the action has no expiry. */
const MAX_TTL = HOUR;
const GRACE = 10 * MINUTE;

/**
 * Asks while the payer may still pay and for ten more minutes, with growing pauses. A payment that is open after that
 * can only be deemed, and is fetched every hour until two days have passed. A transaction without an action was deemed
 * immediately.
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
