/** The XML interface: an order, its status, its refunds. */
import {
  decimalsOf,
  declineOf,
  noNews,
  toMinor,
  unknown,
  writeXml,
  type Card,
  type HttpReply,
  type HttpRequest,
  type Money,
  type Outcome,
  type RefundRequest,
  type StatusReport,
  type StoredPayment,
  type Submission,
} from '@gateway/contract';
import { basicAuthorization } from './basic.ts';
import { faultOutcome, neverSeen, readXmlFault } from './faults.ts';
import type { Options } from './options.ts';
import { resultDeclines } from './words.ts';
import { eventsOf, isOfPayment, isOver, latestResult, readReply, type Order, type Result } from './order.ts';

export const namespace = 'urn:provider-e:pay:1';
export const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

function authorization({ apiUser, apiPassword }: Options): { readonly Authorization: string } {
  return { Authorization: basicAuthorization(apiUser, apiPassword) };
}

function orderPath(code: string): string {
  return `/orders/${encodeURIComponent(code)}`;
}

function post(options: Options, path: string, root: 'submit' | 'refund', order: string): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'Content-Type': 'text/xml; charset=utf-8', ...authorization(options) },
    body: declaration + writeXml(`pay:${root}`, { 'xmlns:pay': namespace, acct: options.account }, order),
  };
}

/** `value` in minor units; the amount must fit its currency. */
function sumOf(money: Money): string {
  const { currency } = money;
  return writeXml('sum', { value: toMinor(money), cur: currency, exp: String(decimalsOf(currency)) });
}

export function orderRequest(payment: Submission, card: Card, options: Options): HttpRequest {
  const { reference, money, payer, captureDelayHours = 0 } = payment;
  const order = writeXml(
    'order',
    { code: reference, capture: String(captureDelayHours) },
    sumOf(money),
    writeXml('card', {
      number: card.number,
      month: card.expiryMonth,
      year: card.expiryYear,
      cvv: card.cvv,
    }),
    writeXml('payer', {
      name: payer.name,
      email: payer.email,
      phone: payer.phoneNumber,
      ip: payer.ipAddress ?? undefined,
    }),
    writeXml('address', {
      street: payer.address,
      city: payer.city,
      state: payer.state,
      postal: payer.postalCode,
      country: payer.country,
    }),
  );
  return post(options, '/orders', 'submit', order);
}

/** The order that a good answer holds; undefined for every other answer. */
function orderOf({ status, body }: HttpReply, { account }: Options, code: string): Order | undefined {
  return status === 200 ? readReply(body, account, code) : undefined;
}

export function orderOutcome(reply: HttpReply, { reference, money }: Submission, options: Options): Outcome {
  const order = orderOf(reply, options, reference);
  if (!order) return faultOutcome(reply, readXmlFault(reply));
  const result = latestResult(order, isOfPayment);
  if (!result) return unknown('the answer tells nothing of the payment');
  return resultOutcome(order, result, money);
}

function resultOutcome({ txn: providerReference }: Order, result: Result, money: Money): Outcome {
  const { kind, why, whyText } = result;
  if (!isOver(result, money)) return unknown('the answer names another sum, or none');
  switch (kind) {
    case 'CAPTURED':
      return { outcome: 'succeeded', providerReference };
    case 'REFUSED':
      return { outcome: 'failed', providerReference, ...declineOf(resultDeclines, why, whyText) };
    case 'AUTHORISED':
      return { outcome: 'pending', providerReference, authorised: true };
    case 'SENT':
      return { outcome: 'pending', providerReference };
    default:
      return { outcome: 'unknown', providerReference, unknownWord: kind };
  }
}

export function statusRequest({ reference }: StoredPayment, options: Options): HttpRequest {
  const path = `${orderPath(reference)}?acct=${options.account}`;
  return { method: 'GET', path, headers: authorization(options) };
}

export function readStatus(reply: HttpReply, { reference, endedAt }: StoredPayment, options: Options): StatusReport {
  const order = orderOf(reply, options, reference);
  if (order) return { news: 'events', events: eventsOf(order) };
  const fault = readXmlFault(reply);
  if (neverSeen(reply, fault, endedAt)) return { news: 'nothing_charged' };
  return noNews(`E answered ${reply.status}, and no status of this order`);
}

export function refundRequest({ reference }: StoredPayment, refund: RefundRequest, options: Options): HttpRequest {
  const order = writeXml('order', { code: reference, refund: refund.reference }, sumOf(refund.money));
  return post(options, `${orderPath(reference)}/refunds`, 'refund', order);
}

/** E gives a refund no number of its own: the payment's is told. */
export function refundOutcome(
  reply: HttpReply,
  { reference }: StoredPayment,
  { money }: RefundRequest,
  options: Options,
): Outcome {
  const order = orderOf(reply, options, reference);
  if (!order) return faultOutcome(reply, readXmlFault(reply));
  const result = latestResult(order);
  if (!result || !isOver(result, money)) return unknown('the answer names another sum, or none');
  const { txn: providerReference } = order;
  switch (result.kind) {
    case 'REFUND_SENT':
      return { outcome: 'pending', providerReference };
    case 'REFUND_FAILED':
      return { outcome: 'failed', nothingCharged: true, providerReference };
    default:
      return { outcome: 'unknown', providerReference, unknownWord: result.kind };
  }
}
