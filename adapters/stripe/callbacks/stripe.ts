/** POST stripe: events of PaymentIntents, sessions, refunds and disputes, signed over time and raw body. */
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
  stale,
  text,
  v,
  verifyWithAny,
  type Parsed,
  type ReportedEvent,
} from '@paywright/contract';
import { demandsThreeDs, Intent, toEvent } from '../intent.ts';
import type { Options } from '../options.ts';
import { Refund, toRefundEvent } from '../refund.ts';
import { Session, toExpiredEvent } from '../session.ts';
import { eventMac, readSignature } from '../signing.ts';
import { inquiries } from '../statuses.ts';
import { Digits, fromStripeAmount } from '../wire.ts';

/** As Stripe's own libraries have it. */
const TOLERANCE_MS = 300_000;
const MAX_BODY_BYTES = 262_144;

const Message = v.object({
  id: filled,
  object: v.literal('event'),
  type: filled,
  livemode: v.boolean(),
  created: jsonInteger(),
  /** There where the event is of another account that is connected with ours. */
  account: v.optional(v.unknown()),
  data: v.object({ object: v.unknown() }),
});
type Message = v.InferOutput<typeof Message>;

export const Dispute = v.object({
  id: filled,
  object: v.literal('dispute'),
  amount: Digits,
  currency: v.string(),
  payment_intent: v.nullable(v.string()),
  status: filled,
  reason: lenient(v.string()),
  evidence_details: lenient(v.object({ due_by: lenient(v.nullable(jsonInteger())) })),
  payment_method_details: lenient(v.object({ card: v.object({ network_reason_code: v.nullish(v.string()) }) })),
});
type Dispute = v.InferOutput<typeof Dispute>;

/** Undefined for an inquiry, which takes no money. `reference` where the asker knows it. */
export function toDisputeEvent(dispute: Dispute, reference: string | null = null): ReportedEvent | undefined {
  const { id, status, amount, currency, payment_intent, reason, evidence_details } = dispute;
  if (inquiries.has(status)) return undefined;
  const code = dispute.payment_method_details?.card.network_reason_code;
  const dueBy = evidence_details?.due_by;
  const details = {
    ...(reason ? { reason } : {}),
    ...(code ? { networkReasonCode: code } : {}),
    ...(dueBy ? { evidenceDueBy: new Date(dueBy * 1000).toISOString() } : {}),
  };
  return {
    kind: 'chargeback',
    providerStatus: status,
    reference,
    providerReference: payment_intent,
    subReference: id,
    ...fromStripeAmount(amount, currency),
    dedupeKey: `${id}:${status}`,
    ...(Object.keys(details).length > 0 ? { details } : {}),
  };
}

/** What the object of an event says; undefined where it is not of the form that its type has. */
function readObject({ type, data: { object } }: Message): readonly ReportedEvent[] | undefined {
  if (type.startsWith('payment_intent.')) {
    const intent = readAs(Intent, object);
    // A PaymentIntent of somebody else who uses the account is none of ours.
    if (!intent?.metadata.gateway_reference) return intent && [];
    // Only a fetch shows what came of 3D Secure.
    const isCharged = intent.status === 'succeeded' || intent.status === 'requires_capture';
    const mustFetch = isCharged && demandsThreeDs(intent) ? { mustFetch: true as const } : {};
    return [{ ...toEvent(intent), ...mustFetch }];
  }
  if (type.startsWith('refund.') || type === 'charge.refund.updated') {
    const refund = readAs(Refund, object);
    return refund && (refund.payment_intent ? [toRefundEvent(refund)] : []);
  }
  if (type.startsWith('charge.dispute.')) {
    const dispute = readAs(Dispute, object);
    const event = dispute?.payment_intent ? toDisputeEvent(dispute) : undefined;
    return dispute && (event ? [event] : []);
  }
  if (type === 'checkout.session.expired') {
    const session = readAs(Session, object);
    return session && (session.client_reference_id ? [toExpiredEvent(session)] : []);
  }
  return [];
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
    if (!signature) return invalidSignature('Stripe-Signature is missing, repeated or of another form');
    const { time, macs } = signature;
    const key = verifyWithAny(options.webhookSecrets, macs, (secret) => eventMac(secret, time, raw.body));
    if (key === undefined) return invalidSignature('Stripe-Signature has no right v1 entry');
    if (!isFresh(Number(time) * 1000, now(), TOLERANCE_MS)) return stale('the time of Stripe-Signature');
    return genuine(readJsonObject(raw.body), { key });
  },

  parseCallback({ value }): Parsed {
    const message = readAs(Message, value);
    if (!message) return { malformed: 'no event: the payload style of the destination must be snapshot' };
    if (message.account !== undefined) return { events: [] };
    const events = readObject(message);
    if (!events) return { malformed: `the object of ${message.type} lacks a member or has another form` };
    const { created, livemode } = message;
    const mode = livemode ? 'live' : 'test';
    const occurredAt = new Date(created * 1000);
    return {
      events: events.map((event) => ({
        ...event,
        mode,
        occurredAt,
        // Of one dispute the later end counts.
        ...(event.kind === 'chargeback' ? { orderHint: created } : {}),
      })),
    };
  },

  // Whatever is no 2xx is sent again for three days.
  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    invalid_signature: text('signature', 400),
    stale: text('time', 400),
    malformed: text('unreadable', 400),
    try_later: text('later', 503),
  }),
});
