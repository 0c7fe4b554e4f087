/** Sends the member code that the payer received. Host-to-host only. */
import { unknown, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { saleOutcome } from './submit.ts';
import { isTranRef, SaleClaims, toTranRef } from './transaction.ts';
import { askByToken } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, step, ctx) => {
  const { action, providerReference } = payment;
  const sale = providerReference ?? (action?.type === 'confirm' ? action.paymentId : undefined);
  if (step.kind !== 'code' || !isTranRef(sale)) return unknown('E accepts only a member code here');
  const claims = { tranRef: toTranRef(sale), code: step.code };
  const answer = await askByToken(payment, '/h2h/confirm', claims, SaleClaims, ctx);
  // The payer may still try the code: a refusal to read it now is not final.
  if ('failure' in answer && answer.failure.status === 429) return unknown('E asks to wait');
  if ('said' in answer && answer.said.tranRef !== sale) return unknown('the answer is about another sale');
  return saleOutcome(answer, payment);
};
