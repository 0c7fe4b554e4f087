// for: card token
/** Completes 3D Secure: sends the result of the payer's browser to New Provider, whose answer decides. */
import { unknown, urlPath, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { paymentOutcome } from './payment.ts';
import { decide, undecided } from './undecided.ts';
import { post } from './wire.ts';

/** Also asks if the payer came back without a result: the bank's page may have reported it. */
export const complete: Ability<'complete', Options> = async (payment, step, ctx) => {
  const { reference, providerReference: id } = payment;
  if (id === undefined) return unknown('no id of New Provider to complete');
  const cres = step.kind === '3ds' && step.field === 'cres' ? step.value : null;
  const path = decide(undecided.challenge, urlPath`/v1/payments/${id}/complete`);
  const reply = await ctx.http.send(
    post(ctx.options, path, `${reference}-3DS`, { account: ctx.options.account, cres }),
  );
  const outcome = paymentOutcome(reply, payment, ctx);
  const isAnother = outcome.providerReference !== undefined && outcome.providerReference !== id;
  return isAnother ? unknown('the answer is about another payment') : outcome;
};
// end
