/** Releases reserved money by cancelling the PaymentIntent. */
import { isSameMoney, unknown, urlPath, type Ability } from '@paywright/contract';
import { readLeft } from './capture.ts';
import { chargedOf, readIntent } from './intent.ts';
import type { Options } from './options.ts';
import { errors, post } from './wire.ts';

export const cancelParams = { cancellation_reason: 'requested_by_customer' } as const;

export const voidPayment: Ability<'void', Options> = async (payment, { http, options }, { reference }) => {
  const id = payment.providerReference;
  if (id === undefined) return unknown('there is no PaymentIntent to release');
  const path = urlPath`/v1/payment_intents/${id}/cancel`;
  const reply = await http.send(post(options, path, cancelParams, reference));
  const intent = readIntent(reply, payment) ?? readLeft(reply, payment);
  if (intent?.status === 'canceled') {
    // A part that was captured before stays captured, so not everything is released.
    const isWhole = isSameMoney(chargedOf(intent), payment.money);
    return isWhole ? { outcome: 'succeeded', providerReference: id } : unknown('a different amount was released');
  }
  return reply.status === 200 ? unknown('the answer is not a cancelled PaymentIntent') : errors.toRefundOutcome(reply);
};
