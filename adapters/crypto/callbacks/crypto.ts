/**
 * Callback `POST crypto`: reports that an invoice or a refund changed. It names no sum, so every event must be fetched.
 */
import {
  acknowledgeBy,
  defined,
  defineRoute,
  eventDeclineOf,
  filled,
  genuine,
  invalidSignature,
  json,
  jsonInteger,
  lenient,
  onlyHeader,
  readAs,
  readHex,
  readJsonObject,
  v,
  verifyWithAny,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { declines } from '../statuses.ts';
import { signatureOf } from '../wire.ts';

const Head = v.object({ deliveryNo: filled, type: filled, storeId: v.string() });

const Named = v.object({ storeId: v.string() });

const Notice = v.object({
  ...Head.entries,
  /** The number of the first delivery of this event. */
  firstDeliveryNo: v.nullish(filled),
  invoice: filled,
  refund: lenient(filled),
  /** Our reference of the attempt. */
  ref: filled,
  /** The time of the event in Unix seconds. It only orders messages. */
  time: lenient(jsonInteger()),
  // The status comes from a fetch, so an unknown flag is no reason to lose the event.
  afterExpiry: lenient(v.boolean()),
  overpaid: lenient(v.boolean()),
  reason: lenient(v.string()),
});
type Notice = v.InferOutput<typeof Notice>;

/** A verified message. Undefined if a member that every message has is missing. */
type Delivery = { readonly type: string; readonly message: unknown } | 'another store' | undefined;

export const callback = defineRoute<Options, Delivery>({
  path: 'crypto',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds',
  contentTypes: ['application/json'],

  accountHint: ({ body }) => readAs(Named, readJsonObject(body))?.storeId,

  verifySignature(raw, { options }) {
    // The prefix is in small letters and names the only supported hash.
    const [, hex = ''] = /^sha256=(.*)$/s.exec(onlyHeader(raw, 'X-Cr-Sig') ?? '') ?? [];
    const key = verifyWithAny(options.hookSecrets, readHex(hex, 32), (secret) => signatureOf(secret, raw.body));
    if (key === undefined) return invalidSignature('X-Cr-Sig');
    const message = readJsonObject(raw.body);
    const head = readAs(Head, message);
    if (head && head.storeId !== options.storeId) return genuine<Delivery>('another store', { key });
    return genuine<Delivery>(head && { type: head.type, message }, { key });
  },

  parseCallback({ value }) {
    if (!value) return { malformed: 'not a JSON object that names delivery, type and store' };
    if (value === 'another store' || value.type === 'hook.test') return { events: [] };
    const notice = readAs(Notice, value.message);
    const event = notice && readEvent(notice);
    return event
      ? { events: [event] }
      : { malformed: 'the invoice, the reference or the number of a refund is missing' };
  },

  acknowledge: acknowledgeBy({
    accepted: json('{"ok":true}'),
    invalid_signature: json('{"ok":false}', 401),
    malformed: json('{"ok":false}', 400),
    try_later: json('{"ok":false}', 503),
  }),
});

/** Undefined if a refund has no number. */
function readEvent(notice: Notice): ReportedEvent | undefined {
  const { deliveryNo, firstDeliveryNo, type, invoice, refund, ref, time, reason } = notice;
  const facts = {
    providerStatus: type,
    reference: ref,
    providerReference: invoice,
    amount: null,
    currency: null,
    // A repeated delivery has its own number, but is still the same event.
    dedupeKey: firstDeliveryNo ?? deliveryNo,
    mustFetch: true,
    ...defined({ orderHint: time }),
  } as const;
  if (type.startsWith('refund.')) {
    return refund === undefined ? undefined : { ...facts, kind: 'refund', subReference: refund };
  }
  const decline = type === 'invoice.invalid' ? eventDeclineOf(declines, reason) : {};
  return {
    ...facts,
    kind: 'payment',
    ...decline,
    facts: { late: notice.afterExpiry ?? false, over: notice.overpaid ?? false },
  };
}
