/** Refunds a payment through the interface that the payment used. */
import { nothingCharged, unknown, urlPath, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { isOver, latestResult } from './order.ts';
import { isSum, isTranRef, TransactionClaims, toSum, toTranRef } from './transaction.ts';
import { askByToken, askByXml, failureOutcome, orderMessage, tookH2h, writeSum } from './wire.ts';

export const refund: Ability<'refund', Options> = (payment, request, ctx) =>
  tookH2h(payment, ctx.options) ? refundSale(payment, request, ctx) : refundOrder(payment, request, ctx);

/** E gives a refund of an order no number of its own, so the payment's number is reported. */
const refundOrder: typeof refund = async (payment, { reference: name, money }, ctx) => {
  const { reference } = payment;
  const message = orderMessage('refund', ctx.options, { code: reference, refund: name }, writeSum(money));
  const answer = await askByXml(payment, urlPath`/orders/${reference}/refunds`, ctx, message);
  if ('failure' in answer) return failureOutcome(answer.failure);
  const result = latestResult(answer.said);
  if (!result || !isOver(result, money)) return unknown('the answer names a different amount, or none');
  const { txn: providerReference } = answer.said;
  switch (result.kind) {
    case 'REFUND_SENT':
      return { outcome: 'pending', providerReference };
    case 'REFUND_FAILED':
      return { outcome: 'failed', nothingCharged: true, providerReference };
    default:
      return { outcome: 'unknown', providerReference, unknownStatus: result.kind };
  }
};

const refundSale: typeof refund = async (payment, { reference: name, money }, ctx) => {
  const { reference, providerReference: sale } = payment;
  if (!isTranRef(sale)) return nothingCharged('there is no E number to refund');
  const claims = { tranRef: toTranRef(sale), refund: name, sum: toSum(money), cur: money.currency };
  const answer = await askByToken(payment, '/h2h/refund', claims, TransactionClaims, ctx);
  if ('failure' in answer) return failureOutcome(answer.failure);
  const { inv, op, orig, rc, tranRef: providerReference } = answer.said;
  const isOurs = inv === reference && op === 'refund' && orig === sale && isSum(answer.said, money);
  if (!isOurs) return unknown('the answer is about another refund');
  if (rc === '0000') return { outcome: 'succeeded', providerReference };
  if (/^2\d{3}$/.test(rc)) return { outcome: 'pending', providerReference };
  if (/^4\d{3}$/.test(rc)) return { ...nothingCharged(`E answered ${rc}`), providerReference };
  return { outcome: 'unknown', providerReference, unknownStatus: rc };
};
