/** Fetches the status: the PaymentIntent (or the Checkout session until there is one), with refunds and disputes. */
import {
  noInformation,
  notFound,
  readAs,
  readJsonBody,
  redirectTo,
  urlPath,
  v,
  type Ability,
  type HttpReply,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import { abandonParams } from './close.ts';
import { Dispute, toDisputeEvent } from './dispute.ts';
import { expanded, Intent, isAbout, isCaptured, readIntent, toEvent } from './intent.ts';
import type { Context, Options } from './options.ts';
import { listParams, readRefunds, toRefundEvent } from './refund.ts';
import { expandedSession, hasEnded, readSession, sessionOf, toExpiredEvent } from './session.ts';
import { errors, get, post, type Params } from './wire.ts';

/** Stripe's search may lag behind new objects for this long. */
const SEARCH_LAG_MS = 3_600_000;
/** After this long, no payer finishes a challenge. Stripe itself would keep it open forever. */
const ABANDONED_MS = 86_400_000;

/**
 * Looks up by session, because the session may still end after a declined card; otherwise by PaymentIntent id;
 * otherwise by our reference.
 */
export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const { providerReference: id } = payment;
  const session = sessionOf(payment);
  if (session !== undefined) return fetchSession(session, payment, ctx);
  if (id === undefined) return search(payment, ctx);
  const reply = await ctx.http.send(get(ctx.options, urlPath`/v1/payment_intents/${id}`, expanded));
  return reportOf(readIntent(reply, payment), payment, ctx, reply);
};

const Found = v.object({ data: v.array(Intent) });

/**
 * Runs if the answer to the submission was lost. A session cannot be finished then: without its answer the payer has no
 * address to pay at.
 */
async function search(payment: StoredPayment, ctx: Context): Promise<StatusReport> {
  const params: Params = {
    query: `metadata['gateway_reference']:'${payment.reference}'`,
    expand: ['data.latest_charge'],
  };
  const reply = await ctx.http.send(get(ctx.options, '/v1/payment_intents/search', params));
  const found = reply.status === 200 ? readJsonBody(Found, reply)?.data : undefined;
  if (found?.length === 0) return notFound(payment, { now: ctx.now(), afterMs: SEARCH_LAG_MS });
  const [intent, ...more] = found ?? [];
  const isOurs = intent && more.length === 0 && isAbout(intent, payment);
  return reportOf(isOurs ? intent : undefined, payment, ctx, reply);
}

async function fetchSession(id: string, payment: StoredPayment, ctx: Context): Promise<StatusReport> {
  const reply = await ctx.http.send(get(ctx.options, urlPath`/v1/checkout/sessions/${id}`, expandedSession));
  const session = readSession(reply, id, payment);
  if (!session) return nothingRead(reply);
  if (hasEnded(session)) return { result: 'events', events: [toExpiredEvent(session)] };
  const intent = readAs(Intent, session.payment_intent);
  const hasPaid = session.status === 'complete';
  if (intent) return reportOf(isAbout(intent, payment) ? intent : undefined, payment, ctx, reply, hasPaid);
  if (session.status !== 'open') return noInformation('the session has neither an end nor a PaymentIntent');
  const action = redirectTo(session.url);
  return { result: 'waiting', ...(action ? { action } : {}) };
}

function nothingRead(reply: HttpReply): StatusReport {
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  return noInformation('the answer is not a status of this payment');
}

async function reportOf(
  intent: Intent | undefined,
  payment: StoredPayment,
  ctx: Context,
  reply: HttpReply,
  hasPaid = false,
): Promise<StatusReport> {
  if (!intent) return nothingRead(reply);
  if (!isCaptured(intent)) {
    const ended = isAbandoned(intent, payment, ctx.now()) ? await cancel(intent, payment, ctx) : intent;
    return { result: 'events', events: [toEvent(ended, hasPaid)] };
  }
  const { id, latest_charge: charge } = intent;
  const refunds = readRefunds(await ctx.http.send(get(ctx.options, '/v1/refunds', listParams(id))));
  if (!refunds) return noInformation('the answer does not list the refunds of this payment');
  const disputes = charge?.disputed === false ? [] : await readDisputes(intent, payment, ctx);
  if (!disputes) return noInformation('the answer does not list the disputes of this payment');
  const refunded = refunds.map((refund) => toRefundEvent(refund, payment.reference));
  return { result: 'events', events: [toEvent(intent), ...refunded, ...disputes], showsAllRefunds: true };
}

const Disputes = v.object({ data: v.array(Dispute), has_more: v.boolean() });

async function readDisputes(
  { id }: Intent,
  { reference }: StoredPayment,
  { http, options }: Context,
): Promise<readonly ReportedEvent[] | undefined> {
  const reply = await http.send(get(options, '/v1/disputes', listParams(id)));
  const list = reply.status === 200 ? readJsonBody(Disputes, reply) : undefined;
  return list?.has_more === false ? list.data.flatMap((one) => toDisputeEvent(one, reference) ?? []) : undefined;
}

/** At Checkout, the session ends automatically, and Stripe refuses to cancel its PaymentIntent otherwise. */
function isAbandoned({ status, metadata }: Intent, { endedAt }: StoredPayment, now: Date): boolean {
  if (status !== 'requires_action' || metadata.gateway_flow === 'page') return false;
  return endedAt !== null && now.getTime() - endedAt.getTime() >= ABANDONED_MS;
}

/** The PaymentIntent after the attempt to cancel it. The payer may have finished it in the meantime. */
async function cancel(intent: Intent, payment: StoredPayment, { http, options }: Context): Promise<Intent> {
  const path = urlPath`/v1/payment_intents/${intent.id}/cancel`;
  const request = post(options, path, abandonParams, `${payment.reference}-X`);
  const reply = await http.send({ ...request, chargesNothing: true });
  return readIntent(reply, payment) ?? intent;
}
