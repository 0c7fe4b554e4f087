/** The member code: B asks the payer's bank whether it is right. */
import { unknown, type HttpReply, type HttpRequest, type Outcome } from '@gateway/contract';
import { readAnswerAbout, toCall } from './messages.ts';
import type { Options } from './options.ts';
import { takenOutcome } from './sale.ts';

export function confirmRequest(options: Options, reference: string, txn: string, code: string): HttpRequest {
  const { login } = options;
  return toCall(options, 'confirm', { login, gw_ref: reference, b_txn: txn, code }, [login, reference, txn, code]);
}

/** The sale is under way whatever is wrong with the question: no refusal of it says that nothing is charged. */
export function confirmOutcome(reply: HttpReply, reference: string, txn: string): Outcome {
  const answer = readAnswerAbout(reply, reference);
  const kind = answer?.get('kind');
  if (kind === 'problem' && answer?.get('code') === '140') {
    const action = { type: 'confirm', paymentId: txn } as const;
    return { outcome: 'pending', providerReference: txn, action, codeRefused: true };
  }
  if ((kind === 'taken' || kind === 'declined') && answer?.get('b_txn') !== txn) {
    return unknown('the answer is about another transaction');
  }
  // A sale is answered so where a code is sent; here it would say nothing about the one we brought.
  return kind === 'code' ? unknown('no answer to a member code') : takenOutcome(answer, reference);
}
