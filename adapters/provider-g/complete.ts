/** After the challenge: sends the data from the payer's browser to G. G's answer decides. */
import { unknown, type Ability, type Action, type Outcome } from '@paywright/contract';
import { chargeOutcome } from './charge.ts';
import type { Context, Options } from './options.ts';
import { chargePath, post } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, step, ctx) => {
  const { reference, action, providerReference: txn } = payment;
  if (txn === undefined) return unknown('there is no G id to complete');
  if (step.kind !== '3ds' || step.field !== 'cres') return stillOpen(txn, action, ctx);
  const content = { mid: ctx.options.merchantId, g_txn: txn, gw_ref: reference, cres: step.value };
  const reply = await ctx.http.send(post(chargePath(txn, 'complete'), reference, content, ctx));
  // Even if the completion did not begin: the charge is in progress, and may be completed again or end automatically.
  if (reply.status !== 200) return unknown(`G answered the completion with ${reply.status}`);
  const outcome = await chargeOutcome(reply, payment, ctx);
  const isAnother = outcome.providerReference !== undefined && outcome.providerReference !== txn;
  if (isAnother) return unknown('the answer is about another charge');
  // G charges only payers who passed the challenge that this call completes.
  return outcome.outcome === 'succeeded' ? { ...outcome, threeDs: 'authenticated' } : outcome;
};

/** Without the issuer's result G cannot complete: the same challenge is returned, with the token of this call. */
function stillOpen(txn: string, action: Action | undefined, { threeDsToken = '' }: Context): Outcome {
  if (action?.type !== 'redirect') return unknown('there is no challenge to continue');
  const fields = { ...action.fields, threeDSSessionData: threeDsToken };
  return { outcome: 'pending', providerReference: txn, action: { ...action, fields } };
}
