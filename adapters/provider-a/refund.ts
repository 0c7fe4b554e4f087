/** Giving money back: A queues a refund and tells by callback what became of it. */
import {
  nothingCharged,
  readAs,
  toMinor,
  unknown,
  v,
  type HttpReply,
  type Outcome,
  type RefundRequest,
} from '@gateway/contract';
import { errorOutcome, readError } from './charge.ts';
import { readObject, Sum } from './messages.ts';

const Answer = v.object({
  refund: v.object({
    id: v.pipe(v.string(), v.minLength(1)),
    txn: v.string(),
    refundRef: v.string(),
    state: v.string(),
    sum: Sum,
  }),
});

/** A refusal is certain only where A names it; else the same refund is asked for again under the same key. */
export function refundOutcome(reply: HttpReply, txn: string, { reference, money }: RefundRequest): Outcome {
  if (reply.status !== 200) {
    const { code } = readError(reply);
    const refused =
      (reply.status === 409 && code === 'NOT_CAPTURED') || (reply.status === 422 && code === 'OVER_REFUND');
    return refused ? nothingCharged(`A answered ${reply.status} ${code}`) : errorOutcome(reply);
  }
  const refund = readAs(Answer, readObject(reply.body))?.refund;
  const isOurs =
    refund?.txn === txn &&
    refund.refundRef === reference &&
    refund.sum.cur === money.currency &&
    refund.sum.minor === toMinor(money);
  if (!isOurs) return unknown('the answer is no answer about this refund');
  const providerReference = refund.id;
  switch (refund.state) {
    case 'queued':
      return { outcome: 'pending', providerReference };
    case 'done':
      return { outcome: 'succeeded', providerReference };
    case 'failed':
      return { outcome: 'failed', nothingCharged: true, providerReference };
    default:
      return { outcome: 'unknown', providerReference, unknownWord: refund.state };
  }
}
