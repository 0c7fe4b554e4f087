/** The status: the PaymentIntent, or the session of Checkout while there is none, with refunds and disputes. */
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
import { Dispute, toDisputeEvent } from './callbacks/stripe.ts';
import { expanded, Intent, isAbout, readIntent, toEvent } from './intent.ts';
import type { Context, Options } from './options.ts';
import { listParams, readRefunds, toRefundEvent } from './refund.ts';
import { Session, toExpiredEvent } from './session.ts';
import { errors, get, post, type Params } from './wire.ts';

/** Stripe's search may lag for so long behind what was made. */
const SEARCH_LAG_MS = 3_600_000;
/** After so long nobody finishes a challenge, and Stripe would keep it open for ever. */
const ABANDONED_MS = 86_400_000;

/** By the session, which may end after a card was declined; else by the PaymentIntent's id, else by our reference. */
export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const { providerReference: id } = payment;
  const session = sessionOf(payment);
  if (session !== undefined) return fetchSession(session, payment, ctx);
  if (id === undefined) return search(payment, ctx);
  const reply = await ctx.http.send(get(ctx.options, urlPath`/v1/payment_intents/${id}`, expanded));
  return reportOf(readIntent(reply, payment), payment, ctx, reply);
};

const State = v.object({ session: v.string() });

function sessionOf({ adapterState }: StoredPayment): string | undefined {
  // What is stored was plain JSON, whose objects have a prototype.
  return v.is(State, adapterState) ? adapterState.session : undefined;
}

const Found = v.object({ data: v.array(Intent) });

/** Where the answer to the submission was lost. A session has no such end: without its answer nobody can pay. */
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
  const path = urlPath`/v1/checkout/sessions/${id}`;
  const reply = await ctx.http.send(get(ctx.options, path, { expand: ['payment_intent.latest_charge'] }));
  const session = reply.status === 200 ? readJsonBody(Session, reply) : undefined;
  if (session?.id !== id || session.client_reference_id !== payment.reference) return nothingRead(reply);
  const intent = readAs(Intent, session.payment_intent);
  const isPaid = intent?.status === 'succeeded' || intent?.status === 'requires_capture';
  if (session.status === 'expired' && !isPaid) return { result: 'events', events: [toExpiredEvent(session)] };
  if (intent) return reportOf(isAbout(intent, payment) ? intent : undefined, payment, ctx, reply);
  if (session.status !== 'open') return noInformation('the session has neither an end nor a PaymentIntent');
  const action = redirectTo(session.url);
  return { result: 'waiting', ...(action ? { action } : {}) };
}

function nothingRead(reply: HttpReply): StatusReport {
  if (reply.status !== 200) return noInformation(errors.read(reply).named);
  return noInformation('the answer is no status of this payment');
}

async function reportOf(
  intent: Intent | undefined,
  payment: StoredPayment,
  ctx: Context,
  reply: HttpReply,
): Promise<StatusReport> {
  if (!intent) return nothingRead(reply);
  if (intent.status !== 'succeeded') {
    const ended = isAbandoned(intent, payment, ctx.now()) ? await cancel(intent, payment, ctx) : intent;
    return { result: 'events', events: [toEvent(ended)] };
  }
  const { id, latest_charge: charge } = intent;
  const refunds = readRefunds(await ctx.http.send(get(ctx.options, '/v1/refunds', listParams(id))));
  if (!refunds) return noInformation('the answer does not list the refunds of this payment');
  const disputes = charge?.disputed === false ? [] : await readDisputes(intent, payment, ctx);
  if (!disputes) return noInformation('the answer does not list the disputes of this payment');
  const refunded = refunds.map((refund) => toRefundEvent(refund, payment.reference));
  return { result: 'events', events: [toEvent(intent), ...refunded, ...disputes], showsAllRefunds: true };
}

const Disputes = v.object({ data: v.array(Dispute) });

async function readDisputes(
  { id }: Intent,
  { reference }: StoredPayment,
  { http, options }: Context,
): Promise<readonly ReportedEvent[] | undefined> {
  const reply = await http.send(get(options, '/v1/disputes', listParams(id)));
  const list = reply.status === 200 ? readJsonBody(Disputes, reply)?.data : undefined;
  return list?.flatMap((dispute) => toDisputeEvent(dispute, reference) ?? []);
}

/** At Checkout the session ends by itself, and Stripe lets nobody else cancel its PaymentIntent. */
function isAbandoned({ status, metadata }: Intent, { endedAt }: StoredPayment, now: Date): boolean {
  if (status !== 'requires_action' || metadata.gateway_flow === 'page') return false;
  return endedAt !== null && now.getTime() - endedAt.getTime() >= ABANDONED_MS;
}

/** The PaymentIntent as it is after that: somebody may have finished it meanwhile. */
async function cancel(intent: Intent, payment: StoredPayment, { http, options }: Context): Promise<Intent> {
  const path = urlPath`/v1/payment_intents/${intent.id}/cancel`;
  const request = post(options, path, { cancellation_reason: 'abandoned' }, `${payment.reference}-X`);
  const reply = await http.send({ ...request, chargesNothing: true });
  return readIntent(reply, payment) ?? intent;
}
