/** Refund: A queues it and reports the result by callback. */
import { filled, nothingCharged, readJsonBody, unknown, urlPath, v, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { errorOutcome, isSum, post, readError, Sum, toSum } from './wire.ts';

const Answer = v.object({
  refund: v.object({
    id: filled,
    txn: v.string(),
    refundRef: v.string(),
    state: v.string(),
    sum: Sum,
  }),
});

/** A refusal is certain only if A names it. Otherwise the same refund is requested again under the same key. */
export const refund: Ability<'refund', Options> = async (payment, request, { http, options }) => {
  // The manifest's `refundNeeds` guarantees the reference.
  const txn = payment.providerReference!;
  const { reference: refundRef, money, note } = request;
  const body = { acct: options.account, ref: payment.reference, refundRef, sum: toSum(money), note };
  const reply = await http.send(post(options, urlPath`/v1/charges/${txn}/refunds`, refundRef, body));
  if (reply.status !== 200) {
    const named = `${reply.status} ${readError(reply).code}`;
    const isRefused = named === '409 NOT_CAPTURED' || named === '422 OVER_REFUND';
    return isRefused ? nothingCharged(`A answered ${named}`) : errorOutcome(reply);
  }
  const answer = readJsonBody(Answer, reply)?.refund;
  const isOurs = answer?.txn === txn && answer.refundRef === refundRef && isSum(answer.sum, money);
  if (!isOurs) return unknown('the answer is not about this refund');
  const { id: providerReference, state } = answer;
  switch (state) {
    case 'queued':
      return { outcome: 'pending', providerReference };
    case 'done':
      return { outcome: 'succeeded', providerReference };
    case 'failed':
      return { outcome: 'failed', nothingCharged: true, providerReference };
    default:
      return { outcome: 'unknown', providerReference, unknownStatus: state };
  }
};
