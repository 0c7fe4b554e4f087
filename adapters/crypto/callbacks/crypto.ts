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

export const callback = defineRoute<Options, Uint8Array>({
  path: 'crypto',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds',
  contentTypes: ['application/json'],

  verifySignature(raw, { options }) {
    // The prefix is in small letters and names the only supported hash.
    const [, hex = ''] = /^sha256=(.*)$/s.exec(onlyHeader(raw, 'X-Cr-Sig') ?? '') ?? [];
    const key = verifyWithAny(options.hookSecrets, readHex(hex, 32), (secret) => signatureOf(secret, raw.body));
    return key === undefined ? invalidSignature('X-Cr-Sig') : genuine(raw.body, { key });
  },

  parseCallback({ value: body }, { options }) {
    const message = readJsonObject(body);
    const head = readAs(Head, message);
    if (!head) return { malformed: 'not a JSON object that names delivery, type and store' };
    if (head.storeId !== options.storeId || head.type === 'hook.test') return { events: [] };
    const notice = readAs(Notice, message);
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
