/** Refund: C answers it immediately and reports it again by callback. */
import { formatAmount, formPost, nothingCharged, unknown, type Ability } from '@paywright/contract';
import { accountIn, type Options } from './options.ts';
import { readAnswer } from './payment.ts';
import { signCall } from './signing.ts';
import { errors } from './statuses.ts';

/** The answer has the form of a callback: `c_extra` is C's id of the refund. */
export const refund: Ability<'refund', Options> = async (payment, { reference: name, money }, { http, options }) => {
  const { reference, providerReference: id } = payment;
  const account = accountIn(money.currency, options);
  if (!account) return nothingCharged(`the account takes no ${money.currency}`);
  // The manifest's `refundNeeds` guarantees C's id.
  const fields = { c_id: id!, c_ref: reference, c_rref: name, c_total: formatAmount(money) };
  const reply = await http.send(formPost('/v1/refunds', signCall(account, 'refund', fields)));
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  const answer = readAnswer(reply, { ...payment, money }, account);
  const providerReference = answer?.extra;
  if (!answer || providerReference === undefined || answer.form.get('c_rref') !== name) {
    return unknown('the answer is incomplete, unverified or not about this refund');
  }
  switch (answer.state) {
    case 'refunded':
      return { outcome: 'succeeded', providerReference };
    case 'refundwait':
      return { outcome: 'pending', providerReference };
    case 'refundfail':
      return { outcome: 'failed', nothingCharged: true, providerReference };
    default:
      return { outcome: 'unknown', providerReference, unknownStatus: answer.state };
  }
};
