/** Releases reserved money. Mollie only accepts the request; its ping reports that the payment changed. */
import { unknown, urlPath, type Ability } from '@paywright/contract';
import { lookAt } from './fetch-status.ts';
import type { Options } from './options.ts';
import { errors, post } from './wire.ts';

const release: Ability<'void', Options> = async (payment, ctx, { reference }) => {
  const id = payment.providerReference;
  if (id === undefined) return unknown('there is no payment to release');
  const path = urlPath`/v2/payments/${id}/release-authorization`;
  const reply = await ctx.http.send(post(ctx.options, path, {}, reference));
  if (reply.status === 202) return { outcome: 'pending', providerReference: id };
  if (reply.status !== 422) return errors.toRefundOutcome(reply);
  // Refused: the money may have been released earlier.
  const shown = await lookAt(id, payment, ctx);
  if (typeof shown === 'string') return unknown(shown);
  return shown.status === 'canceled' ? { outcome: 'succeeded', providerReference: id } : errors.toRefundOutcome(reply);
};
export { release as void };
