/** The pay as it is, reported as one event; H does not show its returns here. */
import { noInformation, type AdapterContext, type StatusReport, type StoredPayment } from '@gateway/contract';
import type { Options } from './options.ts';
import { actionOf, readPay, toEvent } from './pay.ts';
import { errors, get, payPath } from './wire.ts';

export async function fetchStatus(payment: StoredPayment, ctx: AdapterContext<Options>): Promise<StatusReport> {
  const { providerReference: payNo, reference, endedAt } = payment;
  // By H's number where it is known, else by our reference.
  const path = payNo === undefined ? `/v2/pays?gw_ref=${encodeURIComponent(reference)}` : payPath(payNo);
  const reply = await ctx.http.send(get(ctx, path));
  const { code, named } = errors.read(reply);
  if (reply.status === 404 && code === 'unknown_pay') {
    // A pay can be fetched before its own answer is sent: once our call has ended, H never made what it does not know.
    return endedAt ? { result: 'nothing_charged' } : noInformation('the submission may still be on its way');
  }
  if (reply.status !== 200) return noInformation(named);
  const pay = readPay(reply, payment, ctx.options);
  if (!pay || pay.phase === 'returned') return noInformation('the answer is no status of this pay');
  const action = actionOf(pay);
  return { result: 'events', events: [{ ...toEvent(pay), ...(action ? { action } : {}) }] };
}
