/** Refund: B accepts a return and reports by callback that it has changed. */
import { formatAmount, toMinor, unknown, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { nameProblem, readAnswer, readOperation, readRefusal, toCall } from './wire.ts';

/** Code 130: more than is left. Code 131: the sale is not approved. */
const refusals = ['130', '131'];

/** A refusal is certain only if B names it. Otherwise the same return is requested again under the same name. */
export const refund: Ability<'refund', Options> = async (payment, request, { http, options }) => {
  const { reference } = payment;
  // The manifest's `refundNeeds` guarantees the reference.
  const txn = payment.providerReference!;
  const { reference: return_ref, money, note } = request;
  const { login } = options;
  const [total, cur] = [formatAmount(money), money.currency];
  const fields = { login, gw_ref: reference, b_txn: txn, return_ref, total, cur, note: note ?? '' };
  const signed = [login, reference, txn, return_ref, toMinor(money)];
  const reply = await http.send(toCall(options, 'return', fields, signed));
  const answer = readAnswer(reply, reference);
  const refusal = readRefusal(reply, answer, refusals);
  if (refusal) return refusal;
  if (answer?.get('kind') === 'problem') return unknown(nameProblem(answer));
  const operation = readOperation(answer?.get('op_no'));
  const isOurs = answer?.get('gw_ref') === reference && answer.get('b_txn') === txn;
  if (!isOurs || operation === undefined || answer.get('kind') !== 'taken') {
    return unknown('the answer is incomplete or not about this return');
  }
  return { outcome: 'pending', providerReference: `${txn}/${operation}` };
};
