/** Route `POST razorpay`: payments, payment links, refunds and disputes, verified by an HMAC over the raw body. */
import {
  acknowledgeBy,
  defineRoute,
  empty,
  filled,
  genuine,
  invalidSignature,
  jsonInteger,
  lenient,
  moneyFromMinor,
  onlyHeader,
  readAs,
  readHex,
  readJsonObject,
  text,
  v,
  verifyWithAny,
  writeRfc3339,
  type Parsed,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { Minor, Payment, toEvent } from '../payment.ts';
import { PaymentLink, toLinkEvent } from '../payment-link.ts';
import { Refund, toRefundEvent } from '../refund.ts';
import { signatureOf } from '../wire.ts';

/** A time in Unix seconds, within the range of a date. */
const Seconds = lenient(v.pipe(jsonInteger(), v.minValue(0), v.maxValue(253_402_300_799)));

const Head = v.object({
  account_id: v.string(),
  event: filled,
  created_at: Seconds,
  payload: v.unknown(),
});
type Head = v.InferOutput<typeof Head>;

const entity = <S extends v.GenericSchema>(schema: S) => v.object({ entity: schema });

const Dispute = v.object({
  id: filled,
  amount: Minor,
  currency: v.string(),
  amount_deducted: lenient(Minor),
  reason_code: lenient(filled),
  phase: lenient(filled),
  respond_by: Seconds,
});

const AboutPayment = v.object({ payment: entity(Payment) });
const AboutLink = v.object({ payment_link: entity(PaymentLink) });
const AboutRefund = v.object({ ...AboutPayment.entries, refund: entity(Refund) });
const AboutDispute = v.object({ ...AboutPayment.entries, dispute: entity(Dispute) });

export const callback = defineRoute<Options, Uint8Array>({
  path: 'razorpay',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',
  contentTypes: ['application/json'],

  /** The signature does not cover `x-razorpay-event-id`, so anyone can change it. */
  verifySignature(raw, { options }) {
    const given = readHex(onlyHeader(raw, 'X-Razorpay-Signature') ?? '', 32);
    const key = verifyWithAny(options.webhookSecrets, given, (secret) => signatureOf(secret, raw.body));
    return key === undefined ? invalidSignature('X-Razorpay-Signature') : genuine(raw.body, { key });
  },

  parseCallback({ value: body }, { options }) {
    const head = readAs(Head, readJsonObject(body));
    if (!head) return { malformed: 'the body is not a JSON object with account_id, event and payload' };
    return head.account_id === options.accountId ? read(head) : { events: [] };
  },

  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});

const paymentEvents = ['payment.authorized', 'payment.captured', 'payment.failed'];

/** Payments, links and refunds without our notes were made elsewhere under the same account. */
function read(head: Head): Parsed {
  const { event, payload } = head;
  if (event.startsWith('payment_link.')) return readLinkEvent(payload);
  if (event.startsWith('refund.')) return readRefundEvent(payload);
  if (event.startsWith('payment.dispute.')) return readDisputeEvent(head);
  return paymentEvents.includes(event) ? readPaymentEvent(payload) : { events: [] };
}

/** A payment at a page is reported by its link, because one payment may fail and the next succeed. */
function readPaymentEvent(payload: unknown): Parsed {
  const payment = readAs(AboutPayment, payload)?.payment.entity;
  if (!payment) return { malformed: 'the payload has no payment' };
  const reference = payment.notes?.gateway_payment;
  return { events: reference === undefined ? [] : [toEvent(payment, reference)] };
}

function readLinkEvent(payload: unknown): Parsed {
  const link = readAs(AboutLink, payload)?.payment_link.entity;
  if (!link) return { malformed: 'the payload has no payment link' };
  return { events: link.notes?.gateway_page === link.reference_id ? [toLinkEvent(link)] : [] };
}

/**
 * Identifies our payment by its references. Core knows a payment at a page by its link, which the payment does not
 * name.
 */
function namesOf({
  id,
  notes,
}: Payment): (Pick<ReportedEvent, 'providerReference'> & { readonly reference: string }) | undefined {
  if (notes?.gateway_payment !== undefined) return { reference: notes.gateway_payment, providerReference: id };
  return notes?.gateway_page === undefined ? undefined : { reference: notes.gateway_page, providerReference: null };
}

function readRefundEvent(payload: unknown): Parsed {
  const about = readAs(AboutRefund, payload);
  if (!about) return { malformed: 'the payload has no refund and payment' };
  const payment = about.payment.entity;
  const names = namesOf(payment);
  // Razorpay releases a payment that was never captured by a refund of its own.
  if (!names || payment.captured === false) return { events: [] };
  return { events: [toRefundEvent(about.refund.entity, names.reference, names.providerReference)] };
}

function readDisputeEvent({ event, created_at, payload }: Head): Parsed {
  const about = readAs(AboutDispute, payload);
  if (!about) return { malformed: 'the payload has no dispute and payment' };
  const names = namesOf(about.payment.entity);
  if (!names) return { events: [] };
  const { id, amount, currency } = about.dispute.entity;
  const reported: ReportedEvent = {
    kind: 'chargeback',
    providerStatus: event,
    ...names,
    subReference: id,
    ...moneyFromMinor(amount, currency),
    dedupeKey: `${id}:${event}`,
    details: detailsOf(about.dispute.entity),
    ...(created_at === undefined ? {} : { orderHint: created_at }),
  };
  return { events: [reported] };
}

function detailsOf(dispute: v.InferOutput<typeof Dispute>): Readonly<Record<string, string>> {
  const { amount_deducted, currency, reason_code, phase, respond_by } = dispute;
  return {
    ...(reason_code === undefined ? {} : { reason: reason_code.slice(0, 200) }),
    ...(phase === undefined ? {} : { phase: phase.slice(0, 200) }),
    ...(respond_by === undefined ? {} : { respondBy: writeRfc3339(new Date(respond_by * 1000)) }),
    ...(amount_deducted === undefined ? {} : { amountDeducted: moneyFromMinor(amount_deducted, currency).amount }),
  };
}
