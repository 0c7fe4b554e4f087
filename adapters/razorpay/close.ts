/**
 * Closes an unpaid order: cancels its payment link, after which Razorpay accepts no payment at its page. A UPI request
 * cannot be cancelled.
 */
import { nothingCharged, readJsonObject, unknown, urlPath, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { hasEnded, readLink } from './payment-link.ts';
import { errors, get, post } from './wire.ts';

export const close: Ability<'close', Options> = async (payment, { http, options }) => {
  const id = payment.providerReference;
  if (id === undefined || payment.method !== 'hosted_page') return unknown('there is no payment link to cancel');
  const path = urlPath`/v1/payment_links/${id}`;
  const reply = await http.send({ ...post(options, `${path}/cancel`, {}), chargesNothing: true });
  if (reply.status !== 200 && reply.status !== 400) return errors.toRefundOutcome(reply);
  // Razorpay refuses to cancel a link that is paid, and one that has ended before.
  const shown = reply.status === 200 ? reply : await http.send(get(options, path));
  const link = shown.status === 200 ? readLink(readJsonObject(shown.body), payment) : undefined;
  if (!link) return unknown('the answer is not the payment link of this payment');
  return hasEnded(link)
    ? { outcome: 'succeeded', providerReference: id }
    : nothingCharged(`the link is ${link.status}`);
};
