/** Giving money back. */
import {
  formatAmount,
  nothingCharged,
  unknown,
  type HttpReply,
  type Outcome,
  type RefundRequest,
  type StoredPayment,
} from '@gateway/contract';
import { errorOf, errorOutcome, readAnswer } from './answer.ts';
import type { Fields } from './wire.ts';
import { callHash } from './signing.ts';
import type { Account } from './options.ts';

/** `id`: C's of the payment. */
export function refundFields(
  { reference }: StoredPayment,
  id: string,
  refund: RefundRequest,
  account: Account,
): Fields {
  const { key } = account;
  const total = formatAmount(refund.money);
  return {
    c_key: key,
    c_id: id,
    c_ref: reference,
    c_rref: refund.reference,
    c_total: total,
    c_hash: callHash(account, key, 'refund', id, reference, refund.reference, total),
  };
}

/** More than is left, or not to be given back at all. */
const refusals = ['422 too_much', '422 not_payable'];

/** The answer has the form of a callback: `c_extra` is C's id of the refund. */
export function refundOutcome(
  reply: HttpReply,
  { reference }: StoredPayment,
  refund: RefundRequest,
  account: Account,
): Outcome {
  const error = errorOf(reply);
  if (refusals.includes(error)) return nothingCharged(`C answered ${error}`);
  if (reply.status !== 200) return errorOutcome(reply);
  const answer = readAnswer(reply, { reference, money: refund.money }, account);
  const providerReference = answer?.extra;
  if (!answer || providerReference === undefined || answer.form.get('c_rref') !== refund.reference) {
    return unknown('no whole and proven answer about this refund');
  }
  switch (answer.state) {
    case 'refunded':
      return { outcome: 'succeeded', providerReference };
    case 'refundwait':
      return { outcome: 'pending', providerReference };
    case 'refundfail':
      return { outcome: 'failed', nothingCharged: true, providerReference };
    default:
      return { outcome: 'unknown', providerReference, unknownWord: answer.state };
  }
}
