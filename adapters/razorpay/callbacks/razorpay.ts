/** Route `POST razorpay`: payments, payment links, refunds and disputes, verified by an HMAC over the raw body. */
import {
  acknowledgeBy,
  defineRoute,
  empty,
  filled,
  genuine,
  invalidSignature,
  lenient,
  onlyHeader,
  readAs,
  readHex,
  readJsonObject,
  text,
  v,
  verifyWithAny,
  type Parsed,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { Dispute, Seconds, toDisputeEvent } from '../dispute.ts';
import { Notes, Payment, toEvent } from '../payment.ts';
import { PaymentLink, toLinkEvent } from '../payment-link.ts';
import { Refund, toRefundEvent } from '../refund.ts';
import { signatureOf } from '../wire.ts';

const Head = v.object({
  account_id: v.string(),
  event: filled,
  created_at: Seconds,
  payload: v.unknown(),
});
type Head = v.InferOutput<typeof Head>;

const Named = v.object({ account_id: v.string() });

const entity = <S extends v.GenericSchema>(schema: S) => v.object({ entity: schema });

/** What says whose an object is. It is read first, because an object of another system may lack any other member. */
const Owner = entity(v.object({ id: filled, notes: Notes, captured: lenient(v.boolean()) }));
const AboutPayment = v.object({ payment: entity(Payment) });
const AboutLink = v.object({ payment_link: entity(PaymentLink) });
const AboutRefund = v.object({ refund: entity(Refund) });
const AboutDispute = v.object({ dispute: entity(Dispute) });
const PaymentOwner = v.object({ payment: Owner });
const LinkOwner = v.object({
  payment_link: entity(v.object({ notes: Notes, reference_id: lenient(v.string()) })),
});

/** A verified message. Undefined if a member that every message has is missing. */
type Delivery = Head | 'another account' | undefined;

export const callback = defineRoute<Options, Delivery>({
  path: 'razorpay',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',
  contentTypes: ['application/json'],

  accountHint: ({ body }) => readAs(Named, readJsonObject(body))?.account_id,

  /** The signature does not cover `x-razorpay-event-id`, so anyone can change it. */
  verifySignature(raw, { options }) {
    const given = readHex(onlyHeader(raw, 'X-Razorpay-Signature') ?? '', 32);
    const key = verifyWithAny(options.webhookSecrets, given, (secret) => signatureOf(secret, raw.body));
    if (key === undefined) return invalidSignature('X-Razorpay-Signature');
    const head = readAs(Head, readJsonObject(raw.body));
    const isOfAnother = head !== undefined && head.account_id !== options.accountId;
    return genuine<Delivery>(isOfAnother ? 'another account' : head, { key });
  },

  parseCallback({ value }) {
    if (!value) return { malformed: 'the body is not a JSON object with account_id, event and payload' };
    return value === 'another account' ? { events: [] } : read(value);
  },

  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});

const paymentEvents = ['payment.authorized', 'payment.captured', 'payment.failed'];

/** Payments, links, refunds and disputes without our notes were made elsewhere under the same account. */
function read(head: Head): Parsed {
  const { event, payload } = head;
  if (event.startsWith('payment_link.')) return readLinkEvent(payload);
  if (event.startsWith('refund.') || event.startsWith('payment.dispute.')) return readLaterEvent(head);
  return paymentEvents.includes(event) ? readPaymentEvent(payload) : { events: [] };
}

const noPayment: Parsed = { malformed: 'the payload has no payment' };
const ignored: Parsed = { events: [] };

/** A payment at a page is reported by its link, because one payment may fail and the next succeed. */
function readPaymentEvent(payload: unknown): Parsed {
  const owner = readAs(PaymentOwner, payload)?.payment.entity;
  if (!owner) return noPayment;
  const reference = owner.notes?.gateway_payment;
  if (reference === undefined) return ignored;
  const payment = readAs(AboutPayment, payload)?.payment.entity;
  return payment ? { events: [toEvent(payment, reference)] } : noPayment;
}

function readLinkEvent(payload: unknown): Parsed {
  const owner = readAs(LinkOwner, payload)?.payment_link.entity;
  const reference = owner?.notes?.gateway_page;
  if (owner && (reference === undefined || reference !== owner.reference_id)) return ignored;
  const link = readAs(AboutLink, payload)?.payment_link.entity;
  return link ? { events: [toLinkEvent(link)] } : { malformed: 'the payload has no payment link' };
}

/**
 * Identifies our payment by its references. Core knows a payment at a page by its link, which the payment does not
 * name.
 */
function namesOf({
  id,
  notes,
}: Pick<Payment, 'id' | 'notes'>): Pick<ReportedEvent, 'reference' | 'providerReference'> | undefined {
  if (notes?.gateway_payment !== undefined) return { reference: notes.gateway_payment, providerReference: id };
  return notes?.gateway_page === undefined ? undefined : { reference: notes.gateway_page, providerReference: null };
}

/** A refund or a dispute, with its payment. */
function readLaterEvent({ event, created_at, payload }: Head): Parsed {
  const owner = readAs(PaymentOwner, payload)?.payment.entity;
  if (!owner) return noPayment;
  const names = namesOf(owner);
  if (!names) return ignored;
  if (event.startsWith('payment.dispute.')) {
    const dispute = readAs(AboutDispute, payload)?.dispute.entity;
    if (!dispute) return { malformed: 'the payload has no dispute with a status' };
    return { events: [toDisputeEvent(dispute, names, created_at)] };
  }
  // Razorpay releases a payment that was never captured by a refund of its own.
  if (owner.captured === false) return ignored;
  const refund = readAs(AboutRefund, payload)?.refund.entity;
  return refund ? { events: [toRefundEvent(refund, names, created_at)] } : { malformed: 'the payload has no refund' };
}
