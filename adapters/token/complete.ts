/** Completes a charge after 3D Secure: the charge is resumed, and the answer has the payer's result. */
import { referenceOrAction, unknown, urlPath, type Ability } from '@paywright/contract';
import { chargeOutcome } from './charge.ts';
import type { Options } from './options.ts';
import { post } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, _step, { http, options }) => {
  const id = referenceOrAction(payment);
  if (id === undefined) return unknown('the vault’s charge id is unknown, so nothing can be resumed');
  const reply = await http.send(post(options, urlPath`/v1/charges/${id}/resume`, { mid: options.merchantId }));
  // After any other answer the charge still ends without another call.
  if (![200, 402].includes(reply.status)) return unknown(`the vault answered ${reply.status}`);
  const outcome = chargeOutcome(reply, { ...payment, providerReference: id }, options);
  // The vault charges only a payer who passed the resumed challenge.
  return outcome.outcome === 'succeeded' ? { ...outcome, threeDs: 'authenticated' } : outcome;
};
