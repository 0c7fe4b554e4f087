/** Fetches what E knows about a payment and returns it as events, or that E never received the payment. */
import {
  noInformation,
  notFound,
  urlPath,
  type Ability,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { eventsOf } from './order.ts';
import { eventOf, StatusClaims, type Transaction } from './transaction.ts';
import { askByToken, askByXml, tookH2h, type Failure } from './wire.ts';

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const { reference } = payment;
  const { options } = ctx;
  if (!tookH2h(payment, options)) {
    const path = urlPath`/orders/${reference}?acct=${options.account}`;
    const answer = await askByXml(payment, path, ctx);
    return 'failure' in answer
      ? failureReport(answer.failure, payment)
      : { result: 'events', events: eventsOf(answer.said) };
  }
  const answer = await askByToken(payment, '/h2h/status', {}, StatusClaims, ctx);
  if ('failure' in answer) return failureReport(answer.failure, payment);
  const { inv, trans } = answer.said;
  if (inv !== reference || !trans.length) return noInformation('the answer is not a status of this payment');
  return { result: 'events', events: trans.map((transaction) => withAction(inv, transaction)) };
};

/** E registers an order before any other step. */
function failureReport({ status, fault, reason }: Failure, payment: StoredPayment): StatusReport {
  const isNeverSeen = status === 404 && fault?.code === 'NO_ORDER' && fault.begun === 'no';
  return isNeverSeen ? notFound(payment) : noInformation(reason);
}

/** How a sale that waits for the member code looks. */
function withAction(inv: string, transaction: Transaction): ReportedEvent {
  const event = eventOf(inv, transaction);
  const awaitsCode = event.providerStatus === 'sale/2001';
  return awaitsCode ? { ...event, action: { type: 'confirm', paymentId: transaction.tranRef } } : event;
}
