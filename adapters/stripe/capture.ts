/** Captures money that the bank reserved, once. The rest of the reservation is released. */
import {
  isSameMoney,
  nothingCharged,
  readJsonBody,
  unknown,
  urlPath,
  v,
  type Ability,
  type HttpReply,
  type Outcome,
} from '@paywright/contract';
import { chargedOf, expanded, Intent, isAbout, readIntent, threeDsOf } from './intent.ts';
import type { Options } from './options.ts';
import { errors, post, toStripeAmount } from './wire.ts';

export const captureParams = (amount: string) => ({ amount_to_capture: amount, ...expanded }) as const;

export const capture: Ability<'capture', Options> = async (payment, { reference, money }, { http, options }) => {
  const id = payment.providerReference;
  if (id === undefined) return unknown('there is no PaymentIntent to capture');
  const amount = toStripeAmount(money);
  if (amount === undefined) return nothingCharged(`Stripe cannot represent this amount in ${money.currency}`);
  const path = urlPath`/v1/payment_intents/${id}/capture`;
  const reply = await http.send(post(options, path, captureParams(amount), reference));
  const intent = readIntent(reply, payment) ?? readLeft(reply, payment);
  if (intent?.status === 'succeeded') {
    const isAsked = isSameMoney(chargedOf(intent), money);
    return isAsked ? captured(intent) : unknown('a different amount was captured');
  }
  return reply.status === 200 ? unknown('the answer is not a captured PaymentIntent') : errors.toRefundOutcome(reply);
};

const Left = v.object({ error: v.object({ payment_intent: Intent }) });

/** The PaymentIntent in a refusal. It may already have been captured or released. */
export function readLeft(reply: HttpReply, asked: Parameters<typeof isAbout>[1]): Intent | undefined {
  const intent = readJsonBody(Left, reply)?.error.payment_intent;
  return intent && isAbout(intent, asked) ? intent : undefined;
}

function captured(intent: Intent): Outcome {
  const threeDs = threeDsOf(intent);
  return { outcome: 'succeeded', providerReference: intent.id, ...(threeDs ? { threeDs } : {}) };
}
