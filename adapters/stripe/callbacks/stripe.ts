/**
 * Route `POST stripe`: events of PaymentIntents, sessions, refunds and disputes. The signature covers the time and the
 * raw body.
 */
import {
  acknowledgeBy,
  defineRoute,
  filled,
  genuine,
  invalidSignature,
  isFresh,
  jsonInteger,
  lenient,
  onlyHeader,
  readAs,
  readJsonObject,
  readReference,
  stale,
  text,
  v,
  verifyWithAny,
  type Parsed,
  type ReportedEvent,
} from '@paywright/contract';
import { Dispute, toDisputeEvent } from '../dispute.ts';
import { demandsThreeDs, Intent, Metadata, toEvent } from '../intent.ts';
import type { Options } from '../options.ts';
import { Refund, toRefundEvent } from '../refund.ts';
import { Session, toExpiredEvent } from '../session.ts';
import { eventMac, readSignature } from '../signing.ts';

/** The same tolerance as Stripe's own libraries. */
const TOLERANCE_MS = 300_000;
const MAX_BODY_BYTES = 262_144;

const Message = v.object({
  id: filled,
  object: v.literal('event'),
  type: filled,
  livemode: v.boolean(),
  created: jsonInteger(),
  /** Present only if the event belongs to an account that is connected to ours. */
  account: v.optional(v.unknown()),
  data: v.object({ object: v.unknown() }),
});
type Message = v.InferOutput<typeof Message>;

/** What says whose an object is. It is read first, because an object of another system may lack any other member. */
const Owner = v.object({
  metadata: Metadata,
  client_reference_id: lenient(v.string()),
  payment_intent: lenient(v.string()),
});

const isOurs = (reference = ''): boolean => readReference(reference) !== undefined;

/** The facts in an event's object. Undefined if the object does not have the form of its type. */
function readObject({ type, data: { object } }: Message): readonly ReportedEvent[] | undefined {
  const owner = readAs(Owner, object);
  if (!owner) return undefined;
  if (type.startsWith('payment_intent.')) {
    return isOurs(owner.metadata.gateway_reference) ? readIntentEvent(object) : [];
  }
  if (type === 'checkout.session.expired') {
    if (!isOurs(owner.client_reference_id)) return [];
    const session = readAs(Session, object);
    return session && [toExpiredEvent(session)];
  }
  // Refunds and disputes that were made at Stripe name only their payment. Core knows whether it is ours.
  if (owner.payment_intent === undefined) return [];
  if (type.startsWith('refund.') || type === 'charge.refund.updated') {
    const refund = readAs(Refund, object);
    return refund && [toRefundEvent(refund)];
  }
  if (type.startsWith('charge.dispute.')) {
    const dispute = readAs(Dispute, object);
    const event = dispute && toDisputeEvent(dispute);
    return dispute && (event ? [event] : []);
  }
  return [];
}

function readIntentEvent(object: unknown): readonly ReportedEvent[] | undefined {
  const intent = readAs(Intent, object);
  if (!intent) return undefined;
  // Only a fetch shows the result of 3D Secure, and whether the payer can still try again at Checkout.
  const { status, metadata, last_payment_error: failure } = intent;
  const isCharged = status === 'succeeded' || status === 'requires_capture';
  const isRefusedAtPage = status === 'requires_payment_method' && metadata.gateway_flow === 'page' && failure;
  const isUnclear = isCharged ? demandsThreeDs(intent) : isRefusedAtPage;
  const mustFetch = isUnclear ? { mustFetch: true as const } : {};
  return [{ ...toEvent(intent), ...mustFetch }];
}

export const webhook = defineRoute<Options, unknown>({
  path: 'stripe',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',
  contentTypes: ['application/json'],
  maxBodyBytes: MAX_BODY_BYTES,

  verifySignature(raw, { options, now }) {
    const signature = readSignature(onlyHeader(raw, 'stripe-signature') ?? '');
    if (!signature) return invalidSignature('Stripe-Signature is missing, repeated or malformed');
    const { time, macs } = signature;
    const key = verifyWithAny(options.webhookSecrets, macs, (secret) => eventMac(secret, time, raw.body));
    if (key === undefined) return invalidSignature('Stripe-Signature has no valid v1 entry');
    if (!isFresh(Number(time) * 1000, now(), TOLERANCE_MS)) return stale('the time of Stripe-Signature');
    return genuine(readJsonObject(raw.body), { key });
  },

  parseCallback({ value }): Parsed {
    const message = readAs(Message, value);
    if (!message)
      return { malformed: 'the body is not an event: set the payload style of the destination to snapshot' };
    if (message.account !== undefined) return { events: [] };
    const events = readObject(message);
    if (!events) return { malformed: `the object of ${message.type} lacks a member or has an unexpected form` };
    const { created, livemode } = message;
    const mode = livemode ? 'live' : 'test';
    const occurredAt = new Date(created * 1000);
    return {
      events: events.map((event) => ({
        ...event,
        mode,
        occurredAt,
        // If two events report one refund or dispute, the later one counts.
        ...(event.kind === 'payment' ? {} : { orderHint: created }),
      })),
    };
  },

  // Stripe sends an event again for three days unless the answer is 2xx.
  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    invalid_signature: text('signature', 400),
    stale: text('time', 400),
    malformed: text('unreadable', 400),
    try_later: text('later', 503),
  }),
});
