/** Gives money back. A repetition first asks for the refund, and is sent only if WeChat Pay does not know it. */
import {
  filled,
  JsonNumber,
  namesAttempt,
  stringifyExact,
  toMinor,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type Ability,
  type EventStatus,
  type HttpReply,
  type Outcome,
  type RefundRequest,
  type StoredPayment,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { CURRENCY, Fen } from './order.ts';
import { signedRequest } from './signing.ts';
import { refundStatuses } from './statuses.ts';
import { readSigned, refundErrors } from './wire.ts';

const REFUNDS = '/v3/refund/domestic/refunds';
const MAX_REASON_BYTES = 80;

const Refund = v.object({
  refund_id: filled,
  out_refund_no: v.string(),
  out_trade_no: v.string(),
  transaction_id: filled,
  status: filled,
  amount: v.object({ refund: Fen, total: Fen, currency: v.optional(v.literal(CURRENCY), CURRENCY) }),
});

const statuses = new Map<string, EventStatus>(Object.entries(refundStatuses));

export const refund: Ability<'refund', Options> = async (payment, asked, ctx) => {
  if (asked.isRepetition) {
    const found = await ctx.http.send(signedRequest(REFUNDS + urlPath`/${asked.reference}`, ctx));
    if (found.status === 200) return outcomeOf(found, payment, asked, ctx);
    const { code, named } = refundErrors.read(found);
    if (found.status !== 404 || code !== 'RESOURCE_NOT_EXISTS') return unknown(named);
  }
  const reply = await ctx.http.send(signedRequest(REFUNDS, ctx, refundMessage(payment, asked, ctx)));
  return outcomeOf(reply, payment, asked, ctx);
};

function refundMessage({ reference: paid, money: total }: StoredPayment, asked: RefundRequest, ctx: Context): string {
  const { reference, money, note } = asked;
  return stringifyExact({
    out_trade_no: paid,
    out_refund_no: reference,
    ...(note ? { reason: cut(note, MAX_REASON_BYTES) } : {}),
    notify_url: ctx.callbackUrl('wechat-pay'),
    amount: {
      refund: new JsonNumber(toMinor(money)),
      total: new JsonNumber(toMinor(total)),
      currency: CURRENCY,
    },
  });
}

async function outcomeOf(
  reply: HttpReply,
  payment: StoredPayment,
  { reference, money }: RefundRequest,
  ctx: Context,
): Promise<Outcome> {
  if (reply.status !== 200) return refundErrors.toRefundOutcome(reply);
  const answer = await readSigned(Refund, reply, ctx);
  if (
    answer?.out_refund_no !== reference ||
    !namesAttempt(payment, answer.out_trade_no, answer.transaction_id) ||
    answer.amount.refund !== toMinor(money) ||
    answer.amount.total !== toMinor(payment.money)
  ) {
    return unknown('no signed answer about this refund');
  }
  const { refund_id: providerReference, status: providerStatus } = answer;
  const reason = `WeChat Pay reports the refund as ${providerStatus}`;
  return toRefundOutcome(statuses.get(providerStatus) ?? 'unknown', { providerReference, providerStatus, reason });
}

/** The longest beginning of a text that fits, in whole characters. */
function cut(text: string, bytes: number): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytes) break;
    kept += character;
  }
  return kept;
}
