/** A new pay: what we ask, and what H's answer says. */
import {
  declineOf,
  isSameMoney,
  toPaymentOutcome,
  unknown,
  type AdapterContext,
  type Outcome,
  type Submission,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { actionOf, moneyOf, readPay, toEvent, toSum } from './pay.ts';
import { declines, mapStatus } from './statuses.ts';
import { errors, post } from './wire.ts';

type Charged = Submission<'billing', 'name' | 'email' | 'country'>;

/** Members in H's order. */
export function payMessage(payment: Charged, { options, callbackUrl, returnUrl }: AdapterContext<Options>): unknown {
  const { reference, money, payer, paymentRequestId } = payment;
  return {
    shop: options.merchantNo,
    gw_ref: reference,
    want: toSum(money),
    coin: options.coin,
    chain: options.chain,
    ttl: options.ttlSeconds,
    ipn: callbackUrl('providerH'),
    ret: returnUrl(paymentRequestId),
    payer: { name: payer.name, mail: payer.email, country: payer.country, ip: payer.ipAddress },
  };
}

export async function submit(payment: Charged, ctx: AdapterContext<Options>): Promise<Outcome> {
  const reply = await ctx.http.send(post(ctx, '/v2/pays', payMessage(payment, ctx)));
  const isDecline = reply.status === 422;
  if (reply.status !== 200 && reply.status !== 201 && !isDecline) return errors.toOutcome(reply);
  const pay = readPay(reply, payment, ctx.options);
  if (!pay || !isSameMoney(moneyOf(pay.want), payment.money) || (isDecline && pay.phase !== 'bad')) {
    return unknown('the answer is no pay about this payment');
  }
  const { pay_no: providerReference, phase: providerStatus, why } = pay;
  const status = mapStatus(toEvent(pay), 'fetch');
  const action = actionOf(pay);
  if ((status === 'pending' || status === 'underpaid') && !action) {
    return { ...unknown('an open pay that does not say how to pay it'), providerReference };
  }
  return toPaymentOutcome(status, { providerReference, providerStatus, action, decline: declineOf(declines, why) });
}
