/** Fetches the invoice, and a refund by its pull payment with its payouts. */
import {
  defined,
  lenient,
  noInformation,
  notFound,
  readAs,
  readJsonBody,
  readJsonObject,
  urlPath,
  v,
  type Ability,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import { actionOf, areConfirmed, fetchMethods, isOpen, readInvoice, toEvents, type Invoice } from './invoice.ts';
import type { Context, Options } from './options.ts';
import { isOurs, mayBelongTo, Payouts, PullPayment, serverName, toRefundEvent } from './pull-payment.ts';
import { RefundsBegun } from './refund.ts';
import { errors, get, readItems } from './wire.ts';

/** `pullPayment` is the server's id of a pull payment. */
export const fetchStatus: Ability<'fetchStatus', Options> = (payment, ctx, pullPayment) =>
  pullPayment === undefined ? fetchPayment(payment, ctx) : fetchRefund(payment, ctx, pullPayment);

async function fetchPayment(payment: StoredPayment, ctx: Context): Promise<StatusReport> {
  const invoice = await findInvoice(payment, ctx);
  if ('result' in invoice) return invoice;
  const methods = needsMethods(invoice, payment) ? await fetchMethods(invoice, ctx) : [];
  if ('result' in methods) return methods;
  const action = actionOf(invoice, methods, payment.method, ctx.options);
  const [event, ...more] = toEvents(invoice, areConfirmed(methods));
  const events = [{ ...event, ...defined({ action }) }, ...more];
  if (!isRefundable(invoice)) return { result: 'events', events, showsAllRefunds: true };
  // The list of all pull payments in the store is searched only if the answer to a refund was lost, or if the payment
  // is known to be paid: it may have been refunded in BTCPay Server.
  const isBegun = readAs(RefundsBegun, payment.adapterState) !== undefined;
  if (!isBegun && !payment.isPaid) return { result: 'events', events };
  const refunds = await findRefunds(payment, invoice, ctx);
  if (!('result' in refunds)) return { result: 'events', events: [...events, ...refunds], showsAllRefunds: true };
  return isBegun ? refunds : { result: 'events', events };
}

/** Looks up by the server's id if it is known, otherwise by our reference. Includes archived invoices. */
async function findInvoice(payment: StoredPayment, { http, options }: Context): Promise<Invoice | StatusReport> {
  const { providerReference: id, reference } = payment;
  const one = id === undefined ? urlPath`?orderId=${reference}&includeArchived=true` : urlPath`/${id}`;
  const reply = await http.send(get(options, urlPath`/stores/${options.storeId}/invoices` + one));
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  const found = id === undefined ? readItems(reply) : [readJsonObject(reply.body)];
  if (found?.length === 0) return notFound(payment);
  const invoice = found?.length === 1 ? readInvoice(found[0], payment, options) : undefined;
  return invoice ?? noInformation('the answer is not a status of this payment');
}

/** The ways to pay, to show where to pay or whether late money is confirmed. */
function needsMethods(invoice: Invoice, { method, action }: StoredPayment): boolean {
  if (isOpen(invoice)) return method === 'crypto' && action === undefined;
  return invoice.status === 'Expired' && ['PaidLate', 'PaidOver'].includes(invoice.additionalStatus);
}

/** The server refunds no other invoice. */
function isRefundable({ status, additionalStatus }: Invoice): boolean {
  return ['Settled', 'Invalid'].includes(status) || (status === 'Expired' && additionalStatus !== 'None');
}

const Named = v.object({ name: lenient(v.string()) });

/** Finds the payment's refunds among all refunds of the store. */
async function findRefunds(
  payment: StoredPayment,
  invoice: Invoice,
  ctx: Context,
): Promise<readonly ReportedEvent[] | StatusReport> {
  const { http, options } = ctx;
  const reply = await http.send(get(options, urlPath`/stores/${options.storeId}/pull-payments?includeArchived=true`));
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  const ours = readItems(reply)?.filter((item) => {
    const { name = '' } = readAs(Named, item) ?? {};
    return isOurs(payment.reference, name) || name === serverName(invoice.id);
  });
  const pullPayments = readAs(v.array(PullPayment), ours);
  if (!pullPayments) return noInformation('the answer is not a list of pull payments');
  const events: ReportedEvent[] = [];
  for (const pullPayment of pullPayments) {
    const report = await withPayouts(pullPayment, payment, ctx);
    if ('result' in report) return report;
    events.push(report);
  }
  return events;
}

async function fetchRefund(payment: StoredPayment, ctx: Context, id: string): Promise<StatusReport> {
  const reply = await ctx.http.send(get(ctx.options, urlPath`/pull-payments/${id}`));
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  const pullPayment = readJsonBody(PullPayment, reply);
  if (pullPayment?.id !== id || !mayBelongTo(payment.reference, pullPayment)) {
    return noInformation('the answer is not a refund of this payment');
  }
  const event = await withPayouts(pullPayment, payment, ctx);
  return 'result' in event ? event : { result: 'events', events: [event] };
}

async function withPayouts(
  pullPayment: PullPayment,
  payment: StoredPayment,
  { http, options }: Context,
): Promise<ReportedEvent | StatusReport> {
  const reply = await http.send(get(options, urlPath`/pull-payments/${pullPayment.id}/payouts`));
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  const payouts = readAs(Payouts, readItems(reply));
  if (!payouts || payouts.some(({ pullPaymentId }) => pullPaymentId !== pullPayment.id)) {
    return noInformation('the answer is not a list of payouts of this refund');
  }
  return toRefundEvent(pullPayment, payouts, payment);
}
