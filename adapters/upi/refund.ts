/** Giving money back: the switch takes a refund and tells by callback what became of it. */
import {
  JsonNumber,
  nothingCharged,
  readAs,
  readJsonObject,
  toMinor,
  unknown,
  v,
  type HttpReply,
  type Outcome,
  type Provider,
  type RefundRequest,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { errorOutcome, readRefusal } from './pay.ts';
import { Paise } from './transaction.ts';

/** The message that asks for the refund of a transaction. */
export function refundMessage(u_txn: string, refund: RefundRequest, { options, now }: Provider<Options>): unknown {
  return {
    mid: options.merchantId,
    u_txn,
    key: refund.reference,
    paise: new JsonNumber(toMinor(refund.money)),
    at: now().getTime(),
  };
}

const Answer = v.object({
  ok: v.literal(true),
  data: v.object({
    r_txn: v.pipe(v.string(), v.nonEmpty()),
    u_txn: v.string(),
    key: v.string(),
    paise: Paise,
    state: v.string(),
  }),
});

export function refundOutcome(reply: HttpReply, u_txn: string, { reference, money }: RefundRequest): Outcome {
  if (reply.status !== 200) {
    const { code, named } = readRefusal(reply);
    // A refusal gave nothing back; a decline is only of a payment.
    return reply.status === 422 && code ? nothingCharged(named) : errorOutcome(reply);
  }
  const refund = readAs(Answer, readJsonObject(reply.body))?.data;
  if (refund?.u_txn !== u_txn || refund.key !== reference || refund.paise !== toMinor(money)) {
    return unknown('the answer is no answer about this refund');
  }
  const providerReference = refund.r_txn;
  switch (refund.state) {
    case 'REFUND_DONE':
      return { outcome: 'succeeded', providerReference };
    case 'REFUND_FAILED':
    case 'REFUND_REVERSED':
      return { outcome: 'failed', nothingCharged: true, providerReference };
    case 'REFUND_PENDING':
      return { outcome: 'pending', providerReference };
    default:
      return { outcome: 'pending', providerReference, unknownWord: refund.state };
  }
}
