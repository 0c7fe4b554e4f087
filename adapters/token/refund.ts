/** Giving money back: the vault takes a refund and tells by callback what became of it. */
import {
  nothingCharged,
  readAs,
  readJsonObject,
  toMinor,
  unknown,
  v,
  type HttpReply,
  type Outcome,
  type RefundRequest,
} from '@gateway/contract';
import { errorOutcome, Minor, readError } from './charge.ts';

const Answer = v.object({
  refund: v.object({
    id: v.pipe(v.string(), v.nonEmpty()),
    charge: v.string(),
    state: v.string(),
    minor: Minor,
    cur: v.string(),
  }),
});

/** 202 is a new refund, 200 the one that the key already has. */
export function refundOutcome(reply: HttpReply, charge: string, { money }: RefundRequest): Outcome {
  if (reply.status !== 200 && reply.status !== 202) {
    const { code, named } = readError(reply);
    // A refusal gave nothing back; a decline is only of a charge.
    return reply.status === 422 && code ? nothingCharged(named) : errorOutcome(reply);
  }
  const refund = readAs(Answer, readJsonObject(reply.body))?.refund;
  if (refund?.charge !== charge || refund.cur !== money.currency || refund.minor !== toMinor(money)) {
    return unknown('the answer is no answer about this refund');
  }
  const providerReference = refund.id;
  switch (refund.state) {
    case 'succeeded':
      return { outcome: 'succeeded', providerReference };
    case 'failed':
    case 'reversed':
      return { outcome: 'failed', nothingCharged: true, providerReference };
    case 'pending':
      return { outcome: 'pending', providerReference };
    default:
      return { outcome: 'pending', providerReference, unknownWord: refund.state };
  }
}
