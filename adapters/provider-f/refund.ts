/** Refunds a deal: F accepts the request, and a ping reports the larger total. */
import { formatAmount, unknown, type Ability } from '@paywright/contract';
import { hasMoneyOf, isAbout, readDeal } from './deal.ts';
import type { Options } from './options.ts';
import { dealPath, faultOutcome, post } from './wire.ts';

export const refund: Ability<'refund', Options> = async (payment, { reference, money }, { http, options }) => {
  const providerReference = payment.providerReference!;
  const body = { v: formatAmount(money), c: money.currency };
  const reply = await http.send(post(options, dealPath(providerReference, '/returns'), body, reference));
  // A submission answers a repeated key with 200. If F does the same here, it is accepted.
  if (reply.status !== 202 && reply.status !== 200) return faultOutcome(reply);
  const deal = readDeal(reply);
  const isOurs = deal && isAbout(deal, payment, options) && hasMoneyOf(deal, payment);
  return isOurs
    ? { outcome: 'pending', providerReference }
    : unknown('the answer does not show a deal with this refund');
};
