/** After the challenge: what the payer's browser brought goes to G, whose answer counts. */
import { unknown, type Ability, type Action, type Outcome } from '@paywright/contract';
import { chargeOutcome } from './charge.ts';
import type { Context, Options } from './options.ts';
import { chargePath, post } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, step, ctx) => {
  const { reference, action, providerReference: txn } = payment;
  if (txn === undefined) return unknown('no id of G to complete');
  if (step.kind !== '3ds' || step.field !== 'cres') return stillOpen(txn, action, ctx);
  const content = { mid: ctx.options.merchantId, g_txn: txn, gw_ref: reference, cres: step.value };
  const reply = await ctx.http.send(post(chargePath(txn, 'complete'), reference, content, ctx));
  // Whatever did not begin here: the charge is under way, and may be completed again or end by itself.
  if (reply.status !== 200) return unknown(`G answered the completion with ${reply.status}`);
  const outcome = await chargeOutcome(reply, payment, ctx);
  const isAnother = outcome.providerReference !== undefined && outcome.providerReference !== txn;
  if (isAnother) return unknown('the answer is about another charge');
  // G charges only who passed the challenge that this completes.
  return outcome.outcome === 'succeeded' ? { ...outcome, threeDs: 'authenticated' } : outcome;
};

/** G completes nothing without the issuer's result: the same challenge, under the token of this call. */
function stillOpen(txn: string, action: Action | undefined, { threeDsToken = '' }: Context): Outcome {
  if (action?.type !== 'redirect') return unknown('no challenge to go on with');
  const fields = { ...action.fields, threeDSSessionData: threeDsToken };
  return { outcome: 'pending', providerReference: txn, action: { ...action, fields } };
}
