/** Completes a payment after the issuer's page: C asks the issuer for the result and charges. */
import { formPost, unknown, type Ability, type Action, type CompletionStep } from '@paywright/contract';
import { accountIn, type Options } from './options.ts';
import { signCall } from './signing.ts';
import { paymentOutcome } from './submit.ts';

export const complete: Ability<'complete', Options> = async (payment, step, ctx) => {
  const { reference, providerReference: id, action, money } = payment;
  const account = accountIn(money.currency, ctx.options);
  const ended = endedStep(step, action);
  if (!account || id === undefined || !ended) return unknown('no 3D Secure step to complete');
  const fields = signCall(account, 'complete', { c_ref: reference, c_id: id, ...ended });
  const reply = await ctx.http.send(formPost('/v1/payments/complete', fields));
  // The payer has finished: a charge in progress may still settle without another call.
  if (reply.status === 429) return unknown('C asks to wait');
  const outcome = paymentOutcome(reply, payment, account, ctx);
  // A passed challenge authenticates the payer. A method step, or a form of the first version, may achieve less.
  const isAuthenticated = outcome.outcome === 'succeeded' && 'c_cres' in ended;
  return isAuthenticated ? { ...outcome, threeDs: 'authenticated' } : outcome;
};

const fieldOf = { cres: 'c_cres', PaRes: 'c_pares', threeDSMethodData: 'c_method' } as const;

/** C's field for the step. If nothing was posted to us, the form that the payer was sent with names the step. */
function endedStep(step: CompletionStep, action: Action | undefined): Readonly<Record<string, string>> | undefined {
  if (step.kind === '3ds') return { [fieldOf[step.field]]: step.field === 'threeDSMethodData' ? 'done' : step.value };
  const sent = (action?.type === 'redirect' && action.fields) || {};
  if ('creq' in sent) return { c_cres: 'done' };
  if ('PaReq' in sent) return { c_pares: 'done' };
  return 'threeDSMethodData' in sent ? { c_method: 'done' } : undefined;
}
