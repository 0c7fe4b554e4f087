/**
 * Closes an unpaid order by cancelling the payment. Mollie allows that as long as `isCancelable` of the payment is
 * true: it depends on the method that the payer has chosen.
 */
import { nothingCharged, unknown, urlPath, type Ability } from '@paywright/contract';
import { lookAt } from './fetch-status.ts';
import type { Options } from './options.ts';
import { readPayment } from './payment.ts';
import { errors, get } from './wire.ts';

/** Statuses in which the payer can no longer pay. */
const ended: readonly string[] = ['canceled', 'expired', 'failed'];

export const close: Ability<'close', Options> = async (payment, ctx) => {
  const id = payment.providerReference;
  if (id === undefined) return unknown('there is no payment to cancel');
  const { headers = {} } = get(ctx.options, '');
  const path = urlPath`/v2/payments/${id}`;
  const reply = await ctx.http.send({ method: 'DELETE', path, headers, chargesNothing: true });
  if (reply.status !== 200 && reply.status !== 422) return errors.toRefundOutcome(reply);
  // Refused: the payment is paid, is not cancelable, or has ended before.
  const shown = reply.status === 200 ? readPayment(reply, payment) : await lookAt(id, payment, ctx);
  if (typeof shown !== 'object') return unknown(shown ?? 'the answer is not a payment of this attempt');
  return ended.includes(shown.status)
    ? { outcome: 'succeeded', providerReference: id }
    : nothingCharged(`Mollie does not cancel a payment with the status ${shown.status} now`);
};
