/** Giving money back: F takes the wish, and the larger total comes with a ping. */
import { unknown, type HttpReply, type Outcome, type Provider, type StoredPayment } from '@gateway/contract';
import { faultOutcome } from './wire.ts';
import { hasMoneyOf, isAbout, readDeal } from './deal.ts';
import type { Options } from './options.ts';

export function refundOutcome(
  reply: HttpReply,
  payment: StoredPayment,
  id: string,
  { options }: Provider<Options>,
): Outcome {
  // A repeated key is answered 200 at a submission: taken here as well, should F do so.
  if (reply.status !== 202 && reply.status !== 200) return faultOutcome(reply);
  const deal = readDeal(reply);
  const isOurs = deal && isAbout(deal, { reference: payment.reference, id }, options) && hasMoneyOf(deal, payment);
  return isOurs ? { outcome: 'pending', providerReference: id } : unknown('the answer shows no deal about this refund');
}
