/** Completes a sale with the member code: B checks the code with the payer's bank. */
import { unknown, type Ability, type StoredPayment } from '@paywright/contract';
import type { Options } from './options.ts';
import { saleOutcome } from './submit.ts';
import { readAnswer, toCall } from './wire.ts';

/** The sale is already in progress, so no refusal of this request proves that nothing is charged. */
export const complete: Ability<'complete', Options> = async (payment, step, { http, options }) => {
  const { reference } = payment;
  const txn = txnOf(payment);
  if (step.kind !== 'code' || txn === undefined) return unknown('B completes a payment only with a member code');
  const { login } = options;
  const fields = { login, gw_ref: reference, b_txn: txn, code: step.code };
  const reply = await http.send(toCall(options, 'confirm', fields, [login, reference, txn, step.code]));
  const answer = readAnswer(reply, reference);
  const kind = answer?.get('kind');
  if (kind === 'problem' && answer?.get('code') === '140') {
    const action = { type: 'confirm', paymentId: txn } as const;
    return { outcome: 'pending', providerReference: txn, action, codeRefused: true };
  }
  if ((kind === 'taken' || kind === 'declined') && answer?.get('b_txn') !== txn) {
    return unknown('the answer is about another transaction');
  }
  // B answers so when it sends a code. Here it would not answer the code that we sent.
  return kind === 'code' ? unknown('the answer is not about a member code') : saleOutcome(answer, reference);
};

/** B's id of the sale. If nothing else names it, the action that waits for a member code does. */
export function txnOf({ providerReference, action }: StoredPayment): string | undefined {
  return providerReference ?? (action?.type === 'confirm' ? action.paymentId : undefined);
}
