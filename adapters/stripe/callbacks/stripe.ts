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

/** Returns undefined for an inquiry, which withdraws no money. `reference` is set where the caller knows it. */
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

/** The facts in an event's object. Undefined if the object does not have the form of its type. */
function readObject({ type, data: { object } }: Message): readonly ReportedEvent[] | undefined {
  if (type.startsWith('payment_intent.')) {
    const intent = readAs(Intent, object);
    // Ignores a PaymentIntent that someone else created at the same account.
    if (!intent?.metadata.gateway_reference) return intent && [];
    // Only a fetch shows the result of 3D Secure.
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
        // If two events end one dispute, the later end counts.
        ...(event.kind === 'chargeback' ? { orderHint: created } : {}),
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
