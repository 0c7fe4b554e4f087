/**
 * Status fetch: reports the current invoice as one event. The answer does not show refunds; each is fetched by its own
 * id.
 */
import {
  defined,
  noInformation,
  notFound,
  readAs,
  readJsonObject,
  urlPath,
  v,
  type Ability,
} from '@paywright/contract';
import { actionOf, readInvoice, toEvent } from './invoice.ts';
import type { Options } from './options.ts';
import { readRefund, toRefundEvent } from './refund.ts';
import { errors, get } from './wire.ts';

const List = v.object({ items: v.array(v.unknown()) });

/** `refund` is the server's id of a refund. */
export const fetchStatus: Ability<'fetchStatus', Options> = (payment, ctx, refund) =>
  refund === undefined ? fetchInvoice(payment, ctx) : fetchRefund(payment, ctx, refund);

const fetchInvoice: typeof fetchStatus = async (payment, { http, options }) => {
  const { providerReference: id, reference, method } = payment;
  // By the server's id if it is known, otherwise by our reference.
  const path = id === undefined ? urlPath`invoices?ref=${reference}` : urlPath`invoices/${id}`;
  const reply = await http.send(get(options, path));
  // This includes 404: the server does not know the id, which says nothing about the payment.
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  const message = readJsonObject(reply.body);
  const items = id === undefined ? readAs(List, message)?.items : [message];
  if (items?.length === 0) return notFound(payment);
  const invoice = items?.length === 1 ? readInvoice(items[0], payment, options) : undefined;
  if (!invoice) return noInformation('the answer is not a status of this payment');
  return { result: 'events', events: [{ ...toEvent(invoice), ...defined({ action: actionOf(invoice, method) }) }] };
};

const fetchRefund: typeof fetchStatus = async (payment, { http, options }, refund = '') => {
  if (payment.providerReference === undefined)
    return noInformation('a refund can be fetched only once its invoice is known');
  const reply = await http.send(get(options, urlPath`refunds/${refund}`));
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  const found = readRefund(reply, payment, options);
  if (found?.refund !== refund) return noInformation('the answer is not a refund of this payment');
  return { result: 'events', events: [toRefundEvent(found, payment.reference)] };
};
