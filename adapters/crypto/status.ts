/** The invoice as it stands, told as one event; it does not show its refunds. */
import {
  noNews,
  readAs,
  readJsonObject,
  v,
  type HttpReply,
  type HttpRequest,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { get, invoicePath, readError } from './call.ts';
import { actionOf, Invoice, isAbout, toEvent } from './invoice.ts';
import type { Options } from './options.ts';

/** By the server's id where it is known, else by our reference. */
export function statusRequest({ providerReference: id, reference }: StoredPayment, options: Options): HttpRequest {
  return get(options, id === undefined ? `invoices?ref=${encodeURIComponent(reference)}` : invoicePath(id));
}

const List = v.object({ items: v.array(Invoice) });

export function readStatus(reply: HttpReply, payment: StoredPayment, options: Options): StatusReport {
  // Also 404: the server does not know the id, which says nothing about what became of the payment.
  if (reply.status !== 200) return noNews(readError(reply).named);
  const { providerReference: id, endedAt, method } = payment;
  const message = readJsonObject(reply.body);
  const list = id === undefined ? readAs(List, message)?.items : [readAs(Invoice, message)];
  if (list?.length === 0) {
    return endedAt ? { news: 'nothing_charged' } : noNews('the submission may still be on its way');
  }
  const [invoice, ...others] = list ?? [];
  if (!invoice || others.length > 0 || !isAbout(invoice, payment, options)) {
    return noNews('the answer is no status of this payment');
  }
  const action = actionOf(invoice, method);
  return { news: 'events', events: [{ ...toEvent(invoice), ...(action ? { action } : {}) }] };
}
