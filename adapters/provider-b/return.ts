/** Giving money back: B takes a return and tells by callback that something became of it. */
import {
  formatAmount,
  toMinor,
  unknown,
  type HttpReply,
  type HttpRequest,
  type Outcome,
  type RefundRequest,
} from '@gateway/contract';
import { namedProblem, readRefusal } from './sale.ts';
import { readAnswerAbout, readOperation, toCall } from './messages.ts';
import type { Options } from './options.ts';

export function returnRequest(options: Options, reference: string, txn: string, refund: RefundRequest): HttpRequest {
  const { login } = options;
  const { money, note, reference: return_ref } = refund;
  const fields = {
    login,
    gw_ref: reference,
    b_txn: txn,
    return_ref,
    total: formatAmount(money),
    cur: money.currency,
    note: note ?? '',
  };
  return toCall(options, 'return', fields, [login, reference, txn, return_ref, toMinor(money)]);
}

/** 130: more than is left. 131: the sale is not approved. */
const returnRefusals = ['130', '131'];

/** A refusal is certain only where B names it; else the same return is asked for again under the same name. */
export function returnOutcome(reply: HttpReply, reference: string, txn: string): Outcome {
  const answer = readAnswerAbout(reply, reference);
  const refusal = readRefusal(reply, answer, returnRefusals);
  if (refusal) return refusal;
  if (answer?.get('kind') === 'problem') return unknown(namedProblem(answer));
  const operation = readOperation(answer?.get('op_no'));
  const isOurs = answer?.get('gw_ref') === reference && answer.get('b_txn') === txn;
  if (!isOurs || operation === undefined || answer.get('kind') !== 'taken') {
    return unknown('no whole answer about this return');
  }
  return { outcome: 'pending', providerReference: `${txn}/${operation}` };
}
