/** Giving money back: what we ask, what H answers, and what a callback tells of it later. */
import {
  isSameMoney,
  nothingCharged,
  readAs,
  unknown,
  v,
  type HttpReply,
  type Outcome,
  type RefundRequest,
  type ReportedEvent,
} from '@gateway/contract';
import { errorOutcome, readError } from './call.ts';
import { readMessage } from './signing.ts';
import type { Options } from './options.ts';
import { aboutEntries, moneyOf, Sum } from './pay.ts';
import { toSum } from './submission.ts';

export function returnMessage({ reference, money }: RefundRequest, { merchantNo }: Options): unknown {
  return { shop: merchantNo, key: reference, sum: toSum(money) };
}

const Back = v.object({ id: v.pipe(v.string(), v.nonEmpty()), state: v.string(), ...Sum.entries });
const Answer = v.object({ pay_no: aboutEntries.pay_no, back: Back });

export function returnOutcome(reply: HttpReply, payNo: string, { money }: RefundRequest): Outcome {
  const { code, named } = readError(reply);
  if (reply.status === 422 && code === 'too_much') return nothingCharged(named);
  if (reply.status !== 202 && reply.status !== 200) return errorOutcome(reply);
  const answer = readAs(Answer, readMessage(reply.body)?.message);
  if (answer?.pay_no !== payNo || !isSameMoney(moneyOf(answer.back), money)) {
    return unknown('the answer is no answer about this return');
  }
  const { id: providerReference, state } = answer.back;
  switch (state) {
    case 'queued':
      return { outcome: 'pending', providerReference };
    case 'done':
      return { outcome: 'succeeded', providerReference };
    case 'failed':
    case 'reversed':
      return { ...nothingCharged(`the return is ${state}`), providerReference };
    default:
      return { outcome: 'pending', providerReference, unknownWord: state };
  }
}

/** A callback of phase `returned`. */
export const Return = v.object({ ...aboutEntries, back: Back });

export function toRefundEvent({ pay_no, gw_ref, phase, at, back }: v.InferOutput<typeof Return>): ReportedEvent {
  return {
    kind: 'refund',
    word: `${phase}:${back.state}`,
    reference: gw_ref,
    providerReference: pay_no,
    subReference: back.id,
    ...moneyOf(back),
    dedupeKey: `${pay_no}|${phase}|${back.id}|${back.state}`,
    ...(at === undefined ? {} : { orderHint: at }),
  };
}
