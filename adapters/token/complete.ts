/** After 3D Secure: the charge is resumed, and the answer says what the payer did. */
import { referenceOrAction, unknown, urlPath, type Ability } from '@paywright/contract';
import { chargeOutcome } from './charge.ts';
import type { Options } from './options.ts';
import { post } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, _step, { http, options }) => {
  const id = referenceOrAction(payment);
  if (id === undefined) return unknown('no charge id of the vault to resume');
  const reply = await http.send(post(options, urlPath`/v1/charges/${id}/resume`, { mid: options.merchantId }));
  // Whatever else it answers, the charge still ends by itself.
  if (![200, 402].includes(reply.status)) return unknown(`the vault answered ${reply.status}`);
  const outcome = chargeOutcome(reply, { ...payment, providerReference: id }, options);
  // The vault charges only who passed the challenge that this resumes.
  return outcome.outcome === 'succeeded' ? { ...outcome, threeDs: 'authenticated' } : outcome;
};
