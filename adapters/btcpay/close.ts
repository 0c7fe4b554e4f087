/**
 * Closes an unpaid order: marks the invoice as invalid, so that its page no longer asks for coins. The server would
 * also mark an invoice whose coins have arrived, so the invoice is read first.
 */
import {
  isAboveZero,
  nothingCharged,
  readJsonObject,
  unknown,
  urlPath,
  type Ability,
  type HttpReply,
  type Outcome,
  type StoredPayment,
} from '@paywright/contract';
import { isOpen, readInvoice, type Invoice } from './invoice.ts';
import type { Options } from './options.ts';
import { errors, get, post } from './wire.ts';

export const invalidMessage = { status: 'Invalid' } as const;

export const close: Ability<'close', Options> = async (payment, { http, options }) => {
  const id = payment.providerReference;
  if (id === undefined) return unknown('there is no invoice to close');
  const path = urlPath`/stores/${options.storeId}/invoices/${id}`;
  const before = read(await http.send(get(options, path)), payment, options);
  if ('outcome' in before) return before;
  if (!isOpen(before) || hasCoins(before)) return outcomeOf(before);
  const reply = await http.send({ ...post(options, `${path}/status`, invalidMessage), chargesNothing: true });
  // A key that was made before this call was used lacks the permission. Payments are not affected.
  if (reply.status === 403) return nothingCharged('apiKey lacks the permission btcpay.store.canmodifyinvoices');
  const after = read(reply, payment, options);
  return 'outcome' in after ? after : outcomeOf(after);
};

function read(reply: HttpReply, payment: StoredPayment, options: Options): Invoice | Outcome {
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  return readInvoice(readJsonObject(reply.body), payment, options) ?? unknown('the answer is not this invoice');
}

function outcomeOf(invoice: Invoice): Outcome {
  const isClosed = ['Invalid', 'Expired'].includes(invoice.status) && !hasCoins(invoice);
  if (isClosed) return { outcome: 'succeeded', providerReference: invoice.id };
  return nothingCharged(`the invoice is ${invoice.status}${hasCoins(invoice) ? ', and coins have arrived' : ''}`);
}

/** An older server does not say what arrived. Its invoice is open only while nothing did. */
function hasCoins({ paidAmount = '0' }: Invoice): boolean {
  return isAboveZero(paidAmount);
}
