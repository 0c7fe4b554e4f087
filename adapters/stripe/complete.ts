/** After 3D Secure: the payer is back, and the PaymentIntent says what came of it. */
import { referenceOrAction, unknown, urlPath, type Ability } from '@paywright/contract';
import { expanded, intentOutcome } from './intent.ts';
import type { Options } from './options.ts';
import { get } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, _step, { http, options }) => {
  const id = referenceOrAction(payment);
  if (id === undefined) return unknown('no PaymentIntent to complete');
  const reply = await http.send(get(options, urlPath`/v1/payment_intents/${id}`, expanded));
  return intentOutcome(reply, { ...payment, providerReference: id });
};
