/** Webhooks on demand. The order changes first; an unknown order is created from the given facts. */
import type { CallbackReply, Trigger, TriggerCauses } from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import { callbackStatuses } from '../statuses.ts';
import { newEntry, newOrder, type Books, type Entry, type Order } from './books.ts';
import { presentAuthorization, presentCapture, presentDispute, presentOrder, presentRefund } from './present.ts';
import type { News, Notify } from './webhooks.ts';

/** Names such as `payment capture:COMPLETED`. */
export const events: readonly string[] = Object.entries(callbackStatuses).flatMap(([kind, table]) =>
  Object.keys(table).map((status) => `${kind} ${status}`),
);

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'payment capture:PENDING',
  'payment.succeeded': 'payment capture:COMPLETED',
  'payment.failed': 'payment capture:DECLINED',
  'payment.refunded': 'refund COMPLETED',
  'payment.refund_failed': 'refund FAILED',
  'payment.charged_back': 'chargeback OPEN',
  'payment.chargeback_reversed': 'chargeback RESOLVED:RESOLVED_SELLER_FAVOUR',
};

/** The sandbox's `trigger`. It rejects with a RangeError for an event that is not listed. */
export function createTrigger(
  { orders, byPart }: Books,
  notify: Notify,
  baseUrl: string,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  function find({ reference, providerReference }: Trigger): Order | undefined {
    const named =
      providerReference === null ? undefined : (orders.get(providerReference) ?? byPart.get(providerReference));
    return named ?? [...orders.values()].find(({ custom_id }) => custom_id === reference);
  }

  function make({ reference, money }: Trigger): Order {
    const named = { custom_id: reference, invoice_id: reference };
    const order = newOrder({ ...named, intent: 'CAPTURE', amount: money, returnUrl: '', cancelUrl: '' });
    order.status = 'COMPLETED';
    orders.set(order.id, order);
    return order;
  }

  return async (trigger) => {
    const { event } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const order = find(trigger) ?? make(trigger);
    const { news, parts } = change(order, trigger, baseUrl);
    for (const { id } of parts) byPart.set(id, order);
    return sendOnDemand(
      notify(event, () => news, 0),
      trigger,
    );
  };
}

interface Changed {
  readonly news: News;
  /** The parts of the order that the event is about. */
  readonly parts: readonly Entry[];
}

/** Changes the order as the event says. A forged event leaves the order, and still reports the change. */
function change(order: Order, trigger: Trigger, baseUrl: string): Changed {
  const { event, forge } = trigger;
  const changed = forge ? structuredClone(order) : order;
  const [kind = '', status = ''] = event.split(' ');
  if (kind === 'payment') return changePayment(changed, status, trigger, baseUrl);
  const capture = captureOf(changed, trigger);
  return kind === 'refund'
    ? changeRefund(changed, capture, status, trigger, baseUrl)
    : changeDispute(changed, capture, status, trigger, baseUrl);
}

/** The capture that the event is about. A refunded or disputed order was captured before. */
function captureOf(order: Order, { providerReference, money }: Trigger): Entry {
  // Before the charge, the reference of the payment is the id of its order.
  const named = providerReference === order.id ? null : providerReference;
  const known = order.captures.find(({ id }) => id === (named ?? id));
  if (known) return known;
  const made = {
    ...newEntry(money, 'COMPLETED', order),
    ...(named === null ? {} : { id: named }),
  };
  order.captures.push(made);
  order.status = 'COMPLETED';
  return made;
}

function changePayment(order: Order, status: string, trigger: Trigger, baseUrl: string): Changed {
  const [of = '', word = ''] = status.split(':');
  if (of === 'order') {
    const isReversed = word === 'APPROVAL_REVERSED';
    order.status = isReversed ? 'VOIDED' : word;
    const { custom_id, invoice_id } = order;
    const resource = isReversed
      ? { order_id: order.id, purchase_units: [{ custom_id, invoice_id }] }
      : presentOrder(order, baseUrl);
    const type = isReversed ? 'CHECKOUT.PAYMENT-APPROVAL.REVERSED' : `CHECKOUT.ORDER.${word}`;
    return { news: { type, resourceType: 'checkout-order', resource }, parts: [] };
  }
  if (of === 'authorization') {
    const made = (order.authorization ??= newEntry(trigger.money, word, order));
    made.status = word;
    order.status = 'COMPLETED';
    const resource = presentAuthorization(made, order, baseUrl);
    return { news: { type: `PAYMENT.AUTHORIZATION.${word}`, resourceType: 'authorization', resource }, parts: [made] };
  }
  const capture = captureOf(order, trigger);
  capture.status = word;
  const resource = presentCapture(capture, order, baseUrl);
  const type = captureTypes[word] ?? `PAYMENT.CAPTURE.${word}`;
  return { news: { type, resourceType: 'capture', resource }, parts: [capture] };
}

/** A capture that was refunded later is reported again with its present status. */
const captureTypes: Readonly<Record<string, string>> = {
  REFUNDED: 'PAYMENT.CAPTURE.COMPLETED',
  PARTIALLY_REFUNDED: 'PAYMENT.CAPTURE.COMPLETED',
};

const refundTypes: Readonly<Record<string, string>> = {
  PENDING: 'PAYMENT.REFUND.PENDING',
  COMPLETED: 'PAYMENT.CAPTURE.REFUNDED',
  FAILED: 'PAYMENT.REFUND.FAILED',
  CANCELLED: 'PAYMENT.REFUND.CANCELLED',
};

/** The id is made from the payment and the amount, so that later events are about the same refund or dispute. */
function partId(prefix: string, { reference, money }: Trigger): string {
  return `${prefix}${reference}${money.amount}`.replaceAll(/[^A-Z0-9]/g, '').slice(0, 30);
}

function changeRefund(order: Order, capture: Entry, status: string, trigger: Trigger, baseUrl: string): Changed {
  const id = partId('R', trigger);
  const known = order.refunds.find((one) => one.id === id);
  const refund = known ?? {
    ...newEntry(trigger.money, status, { custom_id: order.custom_id }),
    id,
    captureId: capture.id,
  };
  if (!known) order.refunds.push(refund);
  refund.status = status;
  const resource = presentRefund(refund, baseUrl);
  return { news: { type: refundTypes[status]!, resourceType: 'refund', resource }, parts: [capture, refund] };
}

function changeDispute(order: Order, capture: Entry, status: string, trigger: Trigger, baseUrl: string): Changed {
  const captureId = capture.id;
  if (status === 'REVERSED') {
    const { custom_id } = order;
    const taken = { ...newEntry(trigger.money, 'COMPLETED', { custom_id }), id: partId('V', trigger), captureId };
    order.reversals.push(taken);
    const resource = presentRefund(taken, baseUrl);
    return { news: { type: 'PAYMENT.CAPTURE.REVERSED', resourceType: 'refund', resource }, parts: [capture, taken] };
  }
  const [word = '', outcome] = status.split(':');
  const id = `PP-D-${partId('D', trigger)}`;
  const dispute = { ...newEntry(trigger.money, word), id, captureId, ...(outcome ? { outcome } : {}) };
  order.dispute = dispute;
  const type = outcome ? 'CUSTOMER.DISPUTE.RESOLVED' : 'CUSTOMER.DISPUTE.CREATED';
  const resource = presentDispute(dispute, order);
  return { news: { type, resourceType: 'dispute', resource }, parts: [capture, dispute] };
}
