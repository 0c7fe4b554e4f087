/** Fetches the payment by our reference, with its refunds, and once it is paid with its disputes. */
import {
  filled,
  noInformation,
  notFound,
  readAs,
  readJsonBody,
  readJsonObject,
  toMinor,
  urlPath,
  v,
  type Ability,
  type HttpReply,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { Dispute, toDisputeEvent } from './dispute.ts';
import { Minor, Payment, toEvent } from './payment.ts';
import { paymentOf, readLink, withAction } from './payment-link.ts';
import { Refund, toRefundEvent } from './refund.ts';
import { errors, get } from './wire.ts';

const Orders = v.object({
  items: v.array(
    v.object({
      id: filled,
      amount: Minor,
      currency: v.string(),
      receipt: v.nullish(v.string()),
      payments: v.object({ items: v.array(Payment) }),
    }),
  ),
});
const Links = v.object({ payment_links: v.array(v.unknown()) });
const Refunds = v.object({ items: v.array(Refund) });
const Disputes = v.object({ items: v.array(v.unknown()) });
const OfPayment = v.object({ payment_id: v.string() });

export const fetchStatus: Ability<'fetchStatus', Options> = (payment, ctx) =>
  payment.method === 'hosted_page' ? fetchLink(payment, ctx) : fetchUpi(payment, ctx);

const noAnswer = (reply: HttpReply): StatusReport => noInformation(errors.read(reply).named);

async function fetchUpi(payment: StoredPayment, ctx: Context): Promise<StatusReport> {
  const { reference, money } = payment;
  const query = urlPath`receipt=${reference}&${'expand[]'}=payments&count=100`;
  const reply = await ctx.http.send(get(ctx.options, `/v1/orders?${query}`));
  if (reply.status !== 200) return noAnswer(reply);
  const orders = readJsonBody(Orders, reply)?.items;
  if (!orders) return noInformation('the answer is not a list of orders');
  if (orders.length === 0) return notFound(payment);
  // Razorpay also lists receipts that only contain the reference.
  const own = orders.filter(({ receipt }) => receipt === reference);
  if (own.length === 0) return noInformation('none of the listed orders belongs to this payment');
  if (own.some(({ amount, currency }) => amount !== toMinor(money) || currency !== money.currency)) {
    return noInformation('an order of a different amount');
  }
  const payments = own.flatMap((order) => order.payments.items);
  // The payment that the submission's answer named comes first.
  const ordered = payments.toSorted((one, other) => rank(other, payment) - rank(one, payment));
  const [first] = ordered;
  if (!first) return notFound(payment);
  const events = ordered.map((one) => toStep(one, reference));
  const paid = ordered.filter(({ status }) => status === 'captured' || status === 'refunded');
  return withRefunds(
    events,
    paid.map(({ id }) => ({ id, named: id })),
    payment,
    ctx,
  );
}

const rank = ({ id, status }: Payment, { providerReference }: StoredPayment): number =>
  id === providerReference ? 2 : status === 'captured' ? 1 : 0;

/** Neither the link nor the request in the payer's app can be fetched again. */
function toStep(payment: Payment, reference: string): ReportedEvent {
  return { ...toEvent(payment, reference), ...(payment.status === 'created' ? { awaitsPayer: true } : {}) };
}

async function fetchLink(payment: StoredPayment, ctx: Context): Promise<StatusReport> {
  const { reference, providerReference: id } = payment;
  const path =
    id === undefined ? urlPath`/v1/payment_links?reference_id=${reference}` : urlPath`/v1/payment_links/${id}`;
  const reply = await ctx.http.send(get(ctx.options, path));
  if (reply.status !== 200) return noAnswer(reply);
  const items = id === undefined ? readJsonBody(Links, reply)?.payment_links : [readJsonObject(reply.body)];
  if (items?.length === 0) return notFound(payment);
  const link = items?.length === 1 ? readLink(items[0], payment) : undefined;
  if (!link) return noInformation('the answer is not a link of this payment');
  const paid = paymentOf(link);
  // The refunds of a link are those of its payment.
  if (link.status === 'paid' && paid === undefined) return { result: 'events', events: [withAction(link)] };
  const subjects = paid === undefined ? [] : [{ id: paid, named: link.id }];
  return withRefunds([withAction(link)], subjects, payment, ctx);
}

/** The refunds and disputes of each payment. `named` is core's reference of the payment. */
async function withRefunds(
  events: readonly ReportedEvent[],
  paid: readonly { readonly id: string; readonly named: string }[],
  { reference, isPaid }: StoredPayment,
  ctx: Context,
): Promise<StatusReport> {
  const shown = [...events];
  for (const { id, named } of paid) {
    const names = { reference, providerReference: named };
    const reply = await ctx.http.send(get(ctx.options, urlPath`/v1/payments/${id}/refunds?count=100`));
    if (reply.status !== 200) return noAnswer(reply);
    const refunds = readJsonBody(Refunds, reply)?.items;
    if (!refunds || refunds.some(({ payment_id }) => payment_id !== id)) {
      return noInformation('the answer is not a list of refunds of this payment');
    }
    shown.push(...refunds.map((refund) => toRefundEvent(refund, names)));
    if (!isPaid) continue;
    const disputes = await fetchDisputes(id, ctx);
    if ('result' in disputes) return disputes;
    shown.push(...disputes.map((dispute) => toDisputeEvent(dispute, names)));
  }
  return { result: 'events', events: shown, showsAllRefunds: true };
}

const DISPUTES_PER_PAGE = 100;
const MAX_DISPUTE_PAGES = 20;

/**
 * The disputes of a payment. Razorpay lists those of the whole account, the newest first, so the list is read only for
 * a payment that is known to be paid: a dispute follows days later. Older disputes than a fetch reads are left out: the
 * webhook reports them, and they must not hide the payment's refunds.
 */
async function fetchDisputes(payment: string, { http, options }: Context): Promise<readonly Dispute[] | StatusReport> {
  const own: Dispute[] = [];
  for (let page = 0; page < MAX_DISPUTE_PAGES; page += 1) {
    const path = `/v1/disputes?count=${DISPUTES_PER_PAGE}&skip=${page * DISPUTES_PER_PAGE}`;
    const reply = await http.send(get(options, path));
    if (reply.status !== 200) return noAnswer(reply);
    const items = readJsonBody(Disputes, reply)?.items;
    if (!items) return noInformation('the answer is not a list of disputes');
    const found = items.filter((item) => readAs(OfPayment, item)?.payment_id === payment);
    const disputes = readAs(v.array(Dispute), found);
    if (!disputes) return noInformation('a dispute of this payment cannot be read');
    own.push(...disputes);
    if (items.length < DISPUTES_PER_PAGE) return own;
  }
  return own;
}
