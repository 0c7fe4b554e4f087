/**
 * Route `POST btcpay`: something happened to an invoice or a payout. No message names an amount, so every event must be
 * fetched.
 */
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
  readReference,
  text,
  v,
  verifyWithAny,
  type Parsed,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { signatureOf } from '../wire.ts';

const Head = v.object({
  deliveryId: filled,
  /** The id of the first delivery. A redelivery has another `deliveryId` and other bytes. */
  originalDeliveryId: v.nullish(filled),
  type: filled,
  storeId: v.string(),
});
type Head = v.InferOutput<typeof Head>;

const Named = v.object({ storeId: v.string() });

/** What says whose an object is. It is read first, because an object of another system may lack any other member. */
const Owner = v.object({
  metadata: lenient(v.object({ orderId: lenient(v.string()) })),
  /** Absent if a payout belongs to no pull payment. */
  pullPaymentId: lenient(filled),
});
const AboutInvoice = v.object({ invoiceId: filled });
const AboutPayout = v.object({ payoutState: filled });

/** A verified message. Undefined if a member that every message has is missing. */
type Delivery = { readonly head: Head; readonly message: unknown } | 'another store' | undefined;

export const callback = defineRoute<Options, Delivery>({
  path: 'btcpay',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds',
  contentTypes: ['application/json'],

  accountHint: ({ body }) => readAs(Named, readJsonObject(body))?.storeId,

  verifySignature(raw, { options }) {
    const [, hex = ''] = /^sha256=(.*)$/s.exec(onlyHeader(raw, 'BTCPay-Sig') ?? '') ?? [];
    const key = verifyWithAny(options.webhookSecrets, readHex(hex, 32), (secret) => signatureOf(secret, raw.body));
    if (key === undefined) return invalidSignature('BTCPay-Sig');
    const message = readJsonObject(raw.body);
    const head = readAs(Head, message);
    if (head && head.storeId !== options.storeId) return genuine<Delivery>('another store', { key });
    return genuine<Delivery>(head && { head, message }, { key });
  },

  parseCallback({ value }) {
    if (!value) return { malformed: 'the body is not a JSON object with the delivery, its subject and the store' };
    if (value === 'another store') return { events: [] };
    const { head, message } = value;
    if (head.type.startsWith('Invoice')) return readInvoiceEvent(head, message);
    return head.type.startsWith('Payout') ? readPayoutEvent(head, message) : { events: [] };
  },

  // The server sends again after 408, 429, 5xx and no answer; versions before 2.3.4 after any failure.
  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});

const unnamed = { amount: null, currency: null, mustFetch: true } as const;

function identityOf({ deliveryId, originalDeliveryId }: Head): string {
  return originalDeliveryId ?? deliveryId;
}

/** An invoice that was made elsewhere in the store does not have our reference. */
function readInvoiceEvent(head: Head, message: unknown): Parsed {
  const { metadata, pullPaymentId: subReference } = readAs(Owner, message) ?? {};
  const reference = metadata?.orderId ?? '';
  const providerReference = readAs(AboutInvoice, message)?.invoiceId;
  const isOurs = readReference(reference) !== undefined;
  if (!isOurs && (reference || providerReference !== undefined)) return { events: [] };
  if (providerReference === undefined) return { malformed: `${head.type} without invoiceId` };
  const names = { providerStatus: head.type, reference, providerReference, dedupeKey: identityOf(head) };
  if (head.type !== 'InvoiceRefund') return { events: [{ kind: 'payment', ...names, ...unnamed }] };
  if (subReference === undefined) return { malformed: 'InvoiceRefund without pullPaymentId' };
  return { events: [{ kind: 'refund', ...names, subReference, ...unnamed }] };
}

/** The webhook names neither invoice nor reference. Core knows whether one of our refunds has this number. */
function readPayoutEvent(head: Head, message: unknown): Parsed {
  const subReference = readAs(Owner, message)?.pullPaymentId;
  if (subReference === undefined) return { events: [] };
  const providerStatus = readAs(AboutPayout, message)?.payoutState;
  if (providerStatus === undefined) return { malformed: `${head.type} without payoutState` };
  const names = { reference: null, providerReference: null, subReference };
  return { events: [{ kind: 'refund', providerStatus, ...names, dedupeKey: identityOf(head), ...unnamed }] };
}
