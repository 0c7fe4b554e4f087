/** After 3D Secure: sends the data from the payer's browser to Adyen. Only Adyen's answer decides. */
import { defined, hash, readUniquePairs, type Ability, type CompletionStep } from '@paywright/contract';
import type { Options } from './options.ts';
import { paymentOutcome } from './payment.ts';
import { post } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, step, { http, options }) => {
  const redirectResult = resultOf(step);
  // The payer brought no data yet. If the payer never returns, only a webhook reports the end of the step.
  if (redirectResult === undefined) {
    const { action, providerReference } = payment;
    return { outcome: 'pending', ...defined({ action, providerReference }) };
  }
  // A payment may redirect twice. Each result has its own idempotency key.
  const key = `${payment.reference}-D-${hash('sha256', redirectResult).toString('hex').slice(0, 16)}`;
  const reply = await http.send(post(options, '/payments/details', key, { details: { redirectResult } }));
  return paymentOutcome(reply, payment);
};

function resultOf(step: CompletionStep): string | undefined {
  const query = step.kind === 'return' ? step.query : undefined;
  return query === undefined ? undefined : readUniquePairs(query, ['redirectResult'])?.get('redirectResult');
}
