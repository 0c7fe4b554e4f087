/** Refunds a charge. G has no number for a refund; the reference is the payment's. */
import { JsonNumber, nothingCharged, readAs, toMinor, unknown, type Ability } from '@paywright/contract';
import { Report } from './charge.ts';
import type { Options } from './options.ts';
import { chargePath, errorOutcome, openReply, post } from './wire.ts';

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, ctx) => {
  const [g_txn, gw_ref, minor, cur] = [payment.providerReference!, payment.reference, toMinor(money), money.currency];
  const content = { mid: ctx.options.merchantId, g_txn, gw_ref, minor: new JsonNumber(minor), cur };
  const reply = await ctx.http.send(post(chargePath(g_txn, 'refunds'), reference, content, ctx));
  if (reply.status !== 200) return errorOutcome(reply);
  const answer = readAs(Report, await openReply(reply, reference, ctx));
  if (answer?.g_txn !== g_txn || answer.gw_ref !== gw_ref || answer.minor !== minor || answer.cur !== cur) {
    return unknown('the answer is not a verified answer about this refund');
  }
  const providerReference = g_txn;
  switch (answer.status) {
    case 'REFUND_WAIT':
      return { outcome: 'pending', providerReference };
    case 'REFUND_OK':
      return { outcome: 'succeeded', providerReference };
    case 'REFUND_BAD':
      return { ...nothingCharged(answer.why ?? 'G refused the refund'), providerReference };
    default:
      return { outcome: 'unknown', providerReference, unknownStatus: answer.status };
  }
};
