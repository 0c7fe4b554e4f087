/**
 * Route `POST paypal`: events of orders, authorisations, captures, refunds and disputes. The signature covers only a
 * checksum of the body, so every event is fetched before it is believed.
 */
import {
  acknowledgeBy,
  defineRoute,
  empty,
  filled,
  genuine,
  lenient,
  readAs,
  readJsonObject,
  readReference,
  text,
  v,
  type Parsed,
  type ReportedEvent,
} from '@paywright/contract';
import { Dispute, toDisputeEvent } from '../dispute.ts';
import { toAuthorizationEvent, toCaptureEvent, toOrderEvent, toRefundEvent, toReversalEvent } from '../events.ts';
import type { Options } from '../options.ts';
import { Authorization, Capture, Id, Order, Refund } from '../order.ts';
import { proveMessage } from '../signing.ts';

const MAX_BODY_BYTES = 262_144;

const Message = v.object({ id: filled, event_type: filled, resource: v.unknown() });
type Message = v.InferOutput<typeof Message>;

/** What says whose a resource is. It is read first, because an object of another system may lack any other member. */
const Owner = v.object({
  custom_id: lenient(filled),
  purchase_units: lenient(v.array(v.object({ custom_id: lenient(filled) }))),
  supplementary_data: lenient(v.object({ related_ids: lenient(v.object({ order_id: lenient(Id) })) })),
});

/** `maybe`: the resource has no reference, but names an order, which core may know. */
function ownerOf(resource: unknown): 'ours' | 'maybe' | 'other' {
  const { custom_id, purchase_units = [], supplementary_data } = readAs(Owner, resource) ?? {};
  const names = [custom_id, ...purchase_units.map((unit) => unit.custom_id)].filter((name) => name !== undefined);
  if (names.some((name) => readReference(name) !== undefined)) return 'ours';
  return names.length === 0 && supplementary_data?.related_ids?.order_id !== undefined ? 'maybe' : 'other';
}

/** The facts in an event's resource. Undefined if the resource does not have the form of its type. */
function readResource({ event_type: type, resource }: Message): readonly ReportedEvent[] | undefined {
  if (type === 'PAYMENT.CAPTURE.REVERSED') {
    const taken = readAs(Refund, resource);
    return taken && [{ ...toReversalEvent(taken), ...referenceOf(taken) }];
  }
  if (type === 'PAYMENT.CAPTURE.REFUNDED' || type.startsWith('PAYMENT.REFUND.')) {
    const refund = readAs(Refund, resource);
    return refund && [{ ...toRefundEvent(refund), ...referenceOf(refund) }];
  }
  if (type.startsWith('CUSTOMER.DISPUTE.')) {
    const dispute = readAs(Dispute, resource);
    const event = dispute && toDisputeEvent(dispute);
    return dispute && (event ? [event] : []);
  }
  const read = readersByPrefix.find(([prefix]) => type.startsWith(prefix))?.[1];
  const owner = ownerOf(resource);
  if (!read || owner === 'other') return [];
  const event = read(resource);
  if (event) return [event];
  return owner === 'ours' ? undefined : [];
}

/** Readers of orders, authorisations and captures, by the beginning of the event's type. */
const readersByPrefix: readonly (readonly [string, (resource: unknown) => ReportedEvent | undefined])[] = [
  ['CHECKOUT.ORDER.', (resource) => mapped(readAs(Order, resource), toOrderEvent)],
  ['CHECKOUT.PAYMENT-APPROVAL.REVERSED', (resource) => mapped(readAs(ApprovalReversed, resource), toReversedApproval)],
  ['PAYMENT.AUTHORIZATION.', (resource) => mapped(readAs(Authorization, resource), toAuthorizationEvent)],
  ['PAYMENT.CAPTURE.', (resource) => mapped(readAs(Capture, resource), toCaptureEvent)],
];

function mapped<T>(value: T | undefined, toEvent: (value: T) => ReportedEvent | undefined): ReportedEvent | undefined {
  return value === undefined ? undefined : toEvent(value);
}

/** A refund made at PayPal, or by another system, may carry another text. Then its capture names the payment. */
function referenceOf({ custom_id }: Refund): Pick<ReportedEvent, 'reference'> {
  return { reference: custom_id && readReference(custom_id) ? custom_id : null };
}

const ApprovalReversed = v.object({
  id: lenient(Id),
  order_id: lenient(Id),
  purchase_units: v.tuple([v.object({ custom_id: filled })]),
});

/** PayPal withdrew the payer's approval, because the order was not captured in time. */
function toReversedApproval({
  id,
  order_id: orderId = id,
  purchase_units: [{ custom_id: reference }],
}: v.InferOutput<typeof ApprovalReversed>): ReportedEvent | undefined {
  if (orderId === undefined) return undefined;
  return {
    kind: 'payment',
    providerStatus: 'order:APPROVAL_REVERSED',
    reference,
    providerReference: orderId,
    providerReferences: { order: orderId },
    amount: null,
    currency: null,
    dedupeKey: `${orderId}:APPROVAL_REVERSED`,
  };
}

export const webhook = defineRoute<Options, unknown>({
  path: 'paypal',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',
  contentTypes: ['application/json'],
  maxBodyBytes: MAX_BODY_BYTES,
  signatureCovers: 'checksum',

  async verifySignature(raw, ctx) {
    const proven = await proveMessage(raw, ctx);
    return typeof proven === 'number' ? genuine(readJsonObject(raw.body), { key: proven }) : proven;
  },

  parseCallback({ value }): Parsed {
    const message = readAs(Message, value);
    if (!message) return { malformed: 'the body is not an event' };
    const events = readResource(message);
    if (!events) return { malformed: `the resource of ${message.event_type} lacks a member or has an unexpected form` };
    return { events: events.map((event) => ({ ...event, mustFetch: true })) };
  },

  // PayPal sends an event again, up to 25 times in three days, unless the answer is 2xx.
  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});
