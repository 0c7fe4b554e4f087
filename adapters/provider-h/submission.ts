/** A new pay: what we ask, and what H's answer says. */
import {
  declineOf,
  formatAmount,
  isSameMoney,
  JsonNumber,
  unknown,
  type EventStatus,
  type HttpReply,
  type Money,
  type Outcome,
  type Provider,
  type Submission,
} from '@gateway/contract';
import { errorOutcome } from './call.ts';
import type { Options } from './options.ts';
import { actionOf, moneyOf, readPay, toEvent, type ShownPay } from './pay.ts';
import { declines, statusOf } from './words.ts';

/** Money as H reads it: a number with exactly the currency's decimals. */
export function toSum(money: Money): { readonly n: JsonNumber; readonly cur: string } {
  return { n: new JsonNumber(formatAmount(money)), cur: money.currency };
}

/** Members in H's order. */
export function payMessage(
  { reference, money, payer, paymentRequestId }: Submission,
  { options, callbackUrl, returnUrl }: Provider<Options>,
): unknown {
  const { merchantNo, coin, chain, ttlSeconds } = options;
  return {
    shop: merchantNo,
    gw_ref: reference,
    want: toSum(money),
    coin,
    chain,
    ttl: ttlSeconds,
    ipn: callbackUrl('providerH'),
    ret: returnUrl(paymentRequestId),
    payer: { name: payer.name, mail: payer.email, country: payer.country, ip: payer.ipAddress },
  };
}

export function payOutcome(reply: HttpReply, { reference, money }: Submission, options: Options): Outcome {
  const { status } = reply;
  if (status !== 200 && status !== 201 && status !== 422) return errorOutcome(reply);
  const pay = readPay(reply, { reference }, options);
  if (!pay || !isSameMoney(moneyOf(pay.want), money) || (status === 422 && pay.phase !== 'bad')) {
    return unknown('the answer is no pay about this payment');
  }
  return { providerReference: pay.pay_no, ...phaseOutcome(pay) };
}

const paid: readonly EventStatus[] = ['succeeded', 'overpaid', 'late'];
const open: readonly EventStatus[] = ['pending', 'underpaid'];
const ended: readonly EventStatus[] = ['expired', 'cancelled'];

function phaseOutcome(pay: ShownPay): Outcome {
  const status = statusOf(toEvent(pay));
  if (paid.includes(status)) return { outcome: 'succeeded' };
  if (status === 'failed') return { outcome: 'failed', ...declineOf(declines, pay.why) };
  if (ended.includes(status)) return { outcome: 'failed', decline: '05' };
  if (!open.includes(status)) return { outcome: 'pending', unknownWord: pay.phase };
  const action = actionOf(pay);
  return action ? { outcome: 'pending', action } : unknown('an open pay that does not say how to pay it');
}
