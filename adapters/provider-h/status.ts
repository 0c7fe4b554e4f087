/** The pay as it stands, told as one event; H does not show its returns here. */
import {
  noNews,
  type HttpReply,
  type HttpRequest,
  type Provider,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { get, payPath, readError } from './call.ts';
import type { Options } from './options.ts';
import { actionOf, readPay, toEvent } from './pay.ts';

/** By H's number where it is known, else by our reference. */
export function statusRequest(
  { providerReference: payNo, reference }: StoredPayment,
  provider: Provider<Options>,
): HttpRequest {
  return get(provider, payNo === undefined ? `/v2/pays?gw_ref=${encodeURIComponent(reference)}` : payPath(payNo));
}

export function readStatus(reply: HttpReply, payment: StoredPayment, options: Options): StatusReport {
  const { code, named } = readError(reply);
  if (reply.status === 404 && code === 'unknown_pay') {
    // A pay can be fetched before its own answer is sent: once our call has ended, H never made what it does not know.
    return payment.endedAt ? { news: 'nothing_charged' } : noNews('the submission may still be on its way');
  }
  if (reply.status !== 200) return noNews(named);
  const pay = readPay(reply, payment, options);
  if (!pay || pay.phase === 'returned') return noNews('the answer is no status of this pay');
  const action = actionOf(pay);
  return { news: 'events', events: [{ ...toEvent(pay), ...(action ? { action } : {}) }] };
}
