/** Runs when the payer returns from 3D Secure: reads the result from the PaymentIntent. */
import { referenceOrAction, unknown, urlPath, type Ability } from '@paywright/contract';
import { expanded, intentOutcome } from './intent.ts';
import type { Options } from './options.ts';
import { get } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, _step, { http, options }) => {
  const id = referenceOrAction(payment);
  if (id === undefined) return unknown('there is no PaymentIntent to complete');
  const reply = await http.send(get(options, urlPath`/v1/payment_intents/${id}`, expanded));
  return intentOutcome(reply, { ...payment, providerReference: id });
};
