/** Money back, by a name of ours: a repetition asks what came of the first, and is sent only where that never arrived. */
import {
  filled,
  JsonNumber,
  stringifyExact,
  toMinor,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type Ability,
  type HttpReply,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { CURRENCY, Fen } from './order.ts';
import { signedRequest } from './signing.ts';
import { refundStatuses } from './statuses.ts';
import { readSigned, refundErrors } from './wire.ts';

const MAX_REASON_BYTES = 80;

const Refund = v.object({
  refund_id: filled,
  out_refund_no: v.string(),
  out_trade_no: v.string(),
  status: filled,
  amount: v.object({ refund: Fen, total: Fen, currency: v.optional(v.literal(CURRENCY), CURRENCY) }),
});
const statuses = new Map(Object.entries(refundStatuses));

export const refund: Ability<'refund', Options> = async (payment, { reference, money, note, isRepetition }, ctx) => {
  const [amount, total] = [toMinor(money), toMinor(payment.money)];
  const outcomeOf = async (reply: HttpReply) => {
    if (reply.status !== 200) return refundErrors.toRefundOutcome(reply);
    const answer = await readSigned(Refund, reply, ctx);
    const isThis = answer?.out_refund_no === reference && answer.out_trade_no === payment.reference;
    if (!isThis || answer.amount.refund !== amount || answer.amount.total !== total) {
      return unknown('no signed answer about this refund');
    }
    const { refund_id: providerReference, status: providerStatus } = answer;
    const reason = `WeChat Pay ended the refund: ${providerStatus}`;
    return toRefundOutcome(statuses.get(providerStatus) ?? 'unknown', { providerReference, providerStatus, reason });
  };
  if (isRepetition) {
    const found = await ctx.http.send(signedRequest(urlPath`/v3/refund/domestic/refunds/${reference}`, ctx));
    const isMissing = found.status === 404 && refundErrors.read(found).code === 'RESOURCE_NOT_EXISTS';
    if (found.status === 200) return outcomeOf(found);
    if (!isMissing) return unknown(refundErrors.read(found).named);
  }
  const message = {
    out_trade_no: payment.reference,
    out_refund_no: reference,
    ...(note ? { reason: cut(note, MAX_REASON_BYTES) } : {}),
    notify_url: ctx.callbackUrl('wechatPay'),
    amount: { refund: new JsonNumber(amount), total: new JsonNumber(total), currency: CURRENCY },
  };
  return outcomeOf(await ctx.http.send(signedRequest('/v3/refund/domestic/refunds', ctx, stringifyExact(message))));
};

/** As many whole characters as fit. */
function cut(text: string, bytes: number): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytes) break;
    kept += character;
  }
  return kept;
}
