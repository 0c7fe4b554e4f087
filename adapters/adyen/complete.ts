/** After 3D Secure: what the payer's browser brought back goes to Adyen, whose answer alone decides. */
import { defined, hash, readUniquePairs, type Ability, type CompletionStep } from '@paywright/contract';
import type { Options } from './options.ts';
import { paymentOutcome } from './payment.ts';
import { post } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, step, { http, options }) => {
  const redirectResult = resultOf(step);
  // Nothing was brought yet, and Adyen reports the end of the step by webhook alone.
  if (redirectResult === undefined) {
    const { action, providerReference } = payment;
    return { outcome: 'pending', ...defined({ action, providerReference }) };
  }
  // A payment may redirect twice: each result has a key of its own.
  const key = `${payment.reference}-D-${hash('sha256', redirectResult).toString('hex').slice(0, 16)}`;
  const reply = await http.send(post(options, '/payments/details', key, { details: { redirectResult } }));
  return paymentOutcome(reply, payment);
};

function resultOf(step: CompletionStep): string | undefined {
  const query = step.kind === 'return' ? step.query : undefined;
  return query === undefined ? undefined : readUniquePairs(query, ['redirectResult'])?.get('redirectResult');
}
