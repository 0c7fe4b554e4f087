/** Creates a pay and reads H's answer. */
import {
  everyField,
  declineOf,
  isSameMoney,
  toPaymentOutcome,
  unknown,
  type Ability,
  type Submission,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { actionOf, readPay, toEvent, toSum } from './pay.ts';
import { declines, mapStatus } from './statuses.ts';
import { errors, post } from './wire.ts';

type Fields = 'name' | 'email' | 'country';
type Charged = Submission<'billing', Fields>;

/** Members in H's order. */
export function payMessage(payment: Charged, { options, callbackUrl, returnUrl }: Context): unknown {
  const { reference, money, payer, paymentRequestId } = payment;
  const known = everyField(payer);
  return {
    shop: options.merchantNo,
    gw_ref: reference,
    want: toSum(money),
    coin: options.coin,
    chain: options.chain,
    ttl: options.ttlSeconds,
    ipn: callbackUrl('providerH'),
    ret: returnUrl(paymentRequestId),
    payer: { name: known.name, mail: known.email, country: known.country, ip: payer.ipAddress },
  };
}

export const submit: Ability<'submit', Options, 'billing', Fields> = async (payment, ctx) => {
  const reply = await ctx.http.send(post(ctx, '/v2/pays', payMessage(payment, ctx)));
  const isDecline = reply.status === 422;
  if (reply.status !== 200 && reply.status !== 201 && !isDecline) return errors.toOutcome(reply);
  const pay = readPay(reply, payment, ctx.options);
  const isOurs = pay && isSameMoney({ amount: pay.want.n, currency: pay.want.cur }, payment.money);
  if (!isOurs || (isDecline && pay.phase !== 'bad')) return unknown('the answer is not a pay about this payment');
  const { pay_no: providerReference, phase: providerStatus, why } = pay;
  const status = mapStatus(toEvent(pay), 'fetch');
  const steps = { action: actionOf(pay), noAction: 'an open pay that does not show how to pay it' };
  return toPaymentOutcome(status, { providerReference, providerStatus, ...steps, decline: declineOf(declines, why) });
};
