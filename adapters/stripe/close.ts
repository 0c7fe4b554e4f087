/**
 * Closes an unpaid order: cancels the PaymentIntent, or ends the Checkout session and with it its PaymentIntent.
 * Neither request has an Idempotency-Key, because Stripe would repeat an earlier refusal for a day.
 */
import { nothingCharged, unknown, urlPath, type Ability, type Outcome, type StoredPayment } from '@paywright/contract';
import { readLeft } from './capture.ts';
import { isCaptured, readIntent } from './intent.ts';
import type { Context, Options } from './options.ts';
import { expandedSession, hasEnded, readSession, sessionOf } from './session.ts';
import { errors, get, post } from './wire.ts';

export const abandonParams = { cancellation_reason: 'abandoned' } as const;

export const close: Ability<'close', Options> = async (payment, ctx) => {
  const session = sessionOf(payment);
  return session === undefined ? cancelIntent(payment, ctx) : endSession(session, payment, ctx);
};

async function cancelIntent(payment: StoredPayment, { http, options }: Context): Promise<Outcome> {
  const id = payment.providerReference;
  if (id === undefined) return unknown('there is no PaymentIntent to cancel');
  const request = post(options, urlPath`/v1/payment_intents/${id}/cancel`, abandonParams);
  const reply = await http.send({ ...request, chargesNothing: true });
  // A refusal shows the PaymentIntent, which may have been cancelled before.
  const intent = readIntent(reply, payment) ?? readLeft(reply, payment);
  if (intent?.status === 'canceled' && !isCaptured(intent)) return { outcome: 'succeeded', providerReference: id };
  if (intent) return nothingCharged(`the PaymentIntent is ${intent.status}`);
  return reply.status === 200 ? unknown('the answer is not a cancelled PaymentIntent') : errors.toRefundOutcome(reply);
}

async function endSession(id: string, payment: StoredPayment, { http, options }: Context): Promise<Outcome> {
  const path = urlPath`/v1/checkout/sessions/${id}`;
  const reply = await http.send({ ...post(options, `${path}/expire`, expandedSession), chargesNothing: true });
  const ended = readSession(reply, id, payment);
  if (ended && hasEnded(ended)) return { outcome: 'succeeded' };
  if (reply.status !== 400) return ended ? unknown('the session is still open') : errors.toRefundOutcome(reply);
  // Stripe ends an open session only. It may have ended before.
  const shown = readSession(await http.send(get(options, path, expandedSession)), id, payment);
  if (!shown) return unknown('the answer is not the session of this payment');
  return hasEnded(shown) ? { outcome: 'succeeded' } : nothingCharged(`the session is ${shown.status}`);
}
