/** Giving money back. */
import {
  nothingCharged,
  unknown,
  type HttpReply,
  type Outcome,
  type Provider,
  type RefundRequest,
} from '@gateway/contract';
import { errorOutcome, readAnswer, readError } from './answer.ts';
import { kindOf } from './event.ts';
import { isSameMoney, moneyOf } from './message.ts';
import type { Options } from './options.ts';
import { callbackWords, wordOf } from './words.ts';

/** `order` is what was paid; a refusal is certain only where D names it. */
export function refundOutcome(
  reply: HttpReply,
  order: string,
  { money }: RefundRequest,
  { options }: Provider<Options>,
): Outcome {
  const { d_error: word = '' } = readError(reply);
  // What declines an order gives nothing back here: a refund has no decline.
  if (reply.status === 422 && /^(too_much|not_payable)$/.test(word)) return nothingCharged(`D answered 422 ${word}`);
  if (reply.status !== 200) return errorOutcome(reply);
  const message = readAnswer(reply, order, options);
  if (!message || kindOf(message) !== 'refund' || !isSameMoney(moneyOf(message), money)) {
    return unknown('the answer is no proven answer about this refund');
  }
  const providerReference = message.D_Id;
  const state = wordOf(message);
  const status = callbackWords.refund[state];
  if (status === undefined) return { outcome: 'unknown', providerReference, unknownWord: state };
  switch (status) {
    case 'succeeded':
    case 'pending':
      return { outcome: status, providerReference };
    case 'failed':
      return { ...nothingCharged(`D refused the refund: ${message.D_Code}`), providerReference };
    case 'reversed':
      return { ...nothingCharged('D took the refund back'), providerReference };
  }
}
