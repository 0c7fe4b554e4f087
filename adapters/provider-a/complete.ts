/** Completes a payment after 3D Secure: A asks the issuer for the result and charges. Only A's answer decides. */
import { defined, referenceOrAction, unknown, urlPath, type Ability } from '@paywright/contract';
import { chargeOutcome } from './charge.ts';
import type { Options } from './options.ts';
import { post, readError } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, _step, { http, options }) => {
  const { reference, action } = payment;
  const txn = referenceOrAction(payment);
  if (txn === undefined) return unknown('A’s id of the payment is unknown, so nothing can be completed');
  const body = { acct: options.account, ref: reference };
  const reply = await http.send(post(options, urlPath`/v1/charges/${txn}/complete`, `${reference}-complete`, body));
  if (reply.status === 409 && readError(reply).code === 'STEP_UP_OPEN') {
    return { outcome: 'pending', providerReference: txn, ...defined({ action }) };
  }
  // A charge in progress may still settle without another call.
  return reply.status === 429
    ? unknown('A asks to wait')
    : chargeOutcome(reply, { ...payment, providerReference: txn });
};
