/** Fetches the pay and reports it as one event. H does not show its returns here. */
import { defined, noInformation, notFound, urlPath, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { actionOf, readPay, toEvent } from './pay.ts';
import { errors, get } from './wire.ts';

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const { providerReference: payNo, reference } = payment;
  // Looks up by H's number if it is known, otherwise by our reference.
  const path = payNo === undefined ? urlPath`/v2/pays?gw_ref=${reference}` : urlPath`/v2/pays/${payNo}`;
  const reply = await ctx.http.send(get(ctx, path));
  const { code, named } = errors.read(reply);
  // A pay can be fetched before its own answer is sent. Once our call has ended, an unknown pay was never created.
  if (reply.status === 404 && code === 'unknown_pay') return notFound(payment);
  if (reply.status !== 200) return noInformation(named);
  const pay = readPay(reply, payment, ctx.options);
  if (!pay || pay.phase === 'returned') return noInformation('the answer is not a status of this pay');
  return { result: 'events', events: [{ ...toEvent(pay), ...defined({ action: actionOf(pay) }) }] };
};
