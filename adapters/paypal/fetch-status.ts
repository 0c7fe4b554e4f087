/**
 * Fetches the order with its captures and refunds, or the capture alone once PayPal has deleted the order. Disputes and
 * reversals have requests of their own.
 */
import {
  noInformation,
  readAs,
  readJsonBody,
  urlPath,
  v,
  type Ability,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import { Dispute, DisputeId, isAbout, toDisputeEvent } from './dispute.ts';
import { reversalId, toCaptureEvent, toPaymentEvents, toRefundEvent, toReversalEvent, type About } from './events.ts';
import type { Context, Options } from './options.ts';
import {
  actionOf,
  Capture,
  captureIdOf,
  Id,
  idsOf,
  knownIds,
  partsOf,
  readOrder,
  Refund,
  stateOf,
  type Order,
} from './order.ts';
import { errors, get, send } from './wire.ts';

/** PayPal keeps an order without approval for 3 hours. An account may have a longer time, so we wait twice as long. */
const GONE_AFTER_MS = 21_600_000;

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx, subReference) => {
  const shown = await showPayment(payment, ctx);
  if ('result' in shown) return shown;
  const cases = await showCases(payment, shown, ctx, subReference);
  if (typeof cases === 'string') return noInformation(cases);
  const { events, showsAllRefunds } = shown;
  return { result: 'events', events: [...events, ...cases], ...(showsAllRefunds ? { showsAllRefunds } : {}) };
};

/** The payment, and what a dispute or a refund of it is recognised by. */
interface Shown {
  readonly events: readonly ReportedEvent[];
  readonly about: About;
  readonly captures: readonly string[];
  readonly showsAllRefunds?: true;
}

async function showPayment(payment: StoredPayment, ctx: Context): Promise<Shown | StatusReport> {
  const { order: id, capture } = knownIds(payment);
  if (id !== undefined) {
    const order = await lookAt(id, payment, ctx);
    if (typeof order !== 'string') return showOrder(order, payment);
    if (order !== GONE) return noInformation(order);
    if (capture === undefined) return goneReport(id, payment, ctx);
  }
  if (capture === undefined) return noInformation('neither the order nor the capture is known: a webhook names it');
  return showCapture(capture, payment, ctx);
}

const GONE = 'PayPal does not know the order';

/** The order of the attempt, or the reason why it is not visible. */
export async function lookAt(id: string, payment: StoredPayment, ctx: Context): Promise<Order | string> {
  const reply = await send(ctx, get(urlPath`/v2/checkout/orders/${id}`));
  const { code, named } = errors.read(reply);
  if (reply.status === 404 && (code === 'INVALID_RESOURCE_ID' || code === 'RESOURCE_NOT_FOUND')) return GONE;
  if (reply.status !== 200) return named;
  return readOrder(reply, payment, id) ?? 'the answer is not an order of this attempt';
}

function showOrder(order: Order, { reference }: StoredPayment): Shown | StatusReport {
  const action = actionOf(order);
  if (action) return { result: 'waiting', action };
  const { capture, captures, refunds } = partsOf(order);
  const about = { reference, ...idsOf(order) };
  const [event, ...others] = toPaymentEvents(order);
  const awaits = order.status === 'APPROVED' && !capture ? ({ awaitsCompletion: true } as const) : {};
  const refunded = refunds.read.map((refund) => toRefundEvent(refund, about));
  return {
    events: [{ ...event, ...awaits }, ...others, ...refunded],
    about,
    captures: captures.map(({ id }) => id),
    ...(refunds.isComplete ? { showsAllRefunds: true } : {}),
  };
}

/** The payer did not approve the order in time, and can no longer approve it. */
function goneReport(id: string, payment: StoredPayment, { now, options }: Context): StatusReport {
  const { reference, money, endedAt } = payment;
  const isOver = endedAt !== null && now().getTime() - endedAt.getTime() >= GONE_AFTER_MS;
  if (!isOver || stateOf(payment, options).completing) return noInformation(GONE);
  const about = { reference, providerReference: id, providerReferences: { order: id }, ...money };
  return {
    result: 'events',
    events: [{ kind: 'payment', providerStatus: 'order:GONE', ...about, dedupeKey: `${id}:GONE` }],
  };
}

async function showCapture(
  id: string,
  { reference, providerReferences = {} }: StoredPayment,
  ctx: Context,
): Promise<Shown | StatusReport> {
  const reply = await send(ctx, get(urlPath`/v2/payments/captures/${id}`));
  const capture = reply.status === 200 ? readJsonBody(Capture, reply) : undefined;
  if (capture?.id !== id || capture.custom_id !== reference) return noInformation(errors.read(reply).named);
  const about = { reference, providerReference: id, providerReferences };
  return { events: [{ ...toCaptureEvent(capture), ...about }], about, captures: [id] };
}

/** The case or refund that a webhook named, and each dispute of a paid payment; or why PayPal does not show them. */
async function showCases(
  payment: StoredPayment,
  shown: Shown,
  ctx: Context,
  subReference: string | undefined,
): Promise<readonly ReportedEvent[] | string> {
  const disputes = await showDisputes(payment, shown, ctx, subReference);
  if (typeof disputes === 'string' || subReference === undefined) return disputes;
  const { about, captures, events } = shown;
  const reversal = reversalId(subReference);
  if (reversal !== undefined) {
    const taken = await lookAtRefund(reversal, captures, ctx);
    return typeof taken === 'string' ? taken : [...disputes, toReversalEvent(taken, about)];
  }
  const isShown = events.some(({ kind, subReference: id }) => kind === 'refund' && id === subReference);
  if (isShown || readAs(Id, subReference) === undefined) return disputes;
  const refund = await lookAtRefund(subReference, captures, ctx);
  return typeof refund === 'string' ? refund : [...disputes, toRefundEvent(refund, about)];
}

async function showDisputes(
  { isPaid, reference }: StoredPayment,
  { about, captures }: Shown,
  ctx: Context,
  subReference = '',
): Promise<readonly ReportedEvent[] | string> {
  const listed = isPaid ? await listDisputes(captures, ctx) : [];
  if (typeof listed === 'string') return listed;
  const isNamed = reversalId(subReference) === undefined && readAs(DisputeId, subReference) !== undefined;
  const found: ReportedEvent[] = [];
  for (const id of new Set(isNamed ? [subReference, ...listed] : listed)) {
    const reply = await send(ctx, get(urlPath`/v1/customer/disputes/${id}`));
    const dispute = reply.status === 200 ? readJsonBody(Dispute, reply) : undefined;
    if (dispute?.dispute_id !== id || !isAbout(dispute, reference, captures)) return errors.read(reply).named;
    const event = toDisputeEvent(dispute, about);
    if (event) found.push(event);
  }
  return found;
}

/** A refund of one of these captures, or the reason why it is not visible. */
async function lookAtRefund(id: string, captures: readonly string[], ctx: Context): Promise<Refund | string> {
  const reply = await send(ctx, get(urlPath`/v2/payments/refunds/${id}`));
  const refund = reply.status === 200 ? readJsonBody(Refund, reply) : undefined;
  return refund?.id === id && captures.includes(captureIdOf(refund)) ? refund : errors.read(reply).named;
}

const List = v.object({ items: v.optional(v.array(v.object({ dispute_id: DisputeId })), []) });

/** The disputes of a payment; none for an app that may not read disputes, which `paywright doctor` reports. */
async function listDisputes(captures: readonly string[], ctx: Context): Promise<readonly string[] | string> {
  const ids: string[] = [];
  for (const capture of captures) {
    const reply = await send(ctx, get(urlPath`/v1/customer/disputes?disputed_transaction_id=${capture}`));
    if (reply.status === 403 || reply.status === 404) continue;
    const list = reply.status === 200 ? readJsonBody(List, reply) : undefined;
    if (!list) return errors.read(reply).named;
    ids.push(...list.items.map(({ dispute_id: id }) => id));
  }
  return ids;
}
