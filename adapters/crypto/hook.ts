/** POST crypto: that something happened to an invoice or a refund. It names no sum, so every event must be fetched. */
import {
  acknowledgeBy,
  defineRoute,
  eventDeclineOf,
  forged,
  genuine,
  hmac,
  json,
  jsonInteger,
  onlyHeader,
  provenByAny,
  readAs,
  readHex,
  readJsonObject,
  v,
  type Parsed,
  type Provider,
  type RawCallback,
  type ReportedEvent,
  type Verdict,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { declines, type SettledFacts } from './words.ts';

const Filled = v.pipe(v.string(), v.nonEmpty());
/** The status comes from a fetch: a flag that is odd is no reason to lose the event. */
const Flag = v.fallback(v.optional(v.boolean(), false), false);

const Head = v.object({ deliveryNo: Filled, type: Filled, storeId: v.string() });

const Notice = v.object({
  ...Head.entries,
  /** Of the first delivery of this event. */
  firstDeliveryNo: v.nullish(Filled),
  invoice: Filled,
  /** Our reference of the attempt. */
  ref: Filled,
  /** When it happened, in Unix seconds; it orders messages and nothing else. */
  time: v.fallback(v.optional(jsonInteger()), undefined),
  afterExpiry: Flag,
  overpaid: Flag,
  reason: v.fallback(v.nullish(v.string()), null),
});
type Notice = v.InferOutput<typeof Notice>;

const RefundNotice = v.object({ ...Notice.entries, refund: Filled });

/** Value of `X-Cr-Sig`, without its prefix. */
export function signatureOf(secret: string, body: Uint8Array): Buffer {
  return hmac('sha256', secret, body);
}

/** The prefix is in small letters, and names the only hash there is. */
function prove(raw: RawCallback, { options }: Provider<Options>): Verdict<Uint8Array> {
  const [, hex = ''] = /^sha256=(.*)$/s.exec(onlyHeader(raw, 'X-Cr-Sig') ?? '') ?? [];
  const isProven = provenByAny(options.hookSecrets, readHex(hex, 32), (secret) => signatureOf(secret, raw.body));
  return isProven ? genuine(raw.body) : forged('X-Cr-Sig');
}

function parse(body: Uint8Array, { storeId }: Options): Parsed {
  const message = readJsonObject(body);
  const head = readAs(Head, message);
  if (!head) return { malformed: 'no JSON object that says which delivery of what to which store' };
  const { type } = head;
  if (head.storeId !== storeId || type === 'hook.test') return { events: [] };
  if (type.startsWith('refund.')) {
    const notice = readAs(RefundNotice, message);
    if (!notice) return { malformed: 'a refund without invoice, reference or number' };
    return { events: [{ ...aboutOf(notice), kind: 'refund', subReference: notice.refund }] };
  }
  const notice = readAs(Notice, message);
  return notice ? { events: [toEvent(notice)] } : { malformed: 'no invoice, or no reference' };
}

function aboutOf({ deliveryNo, firstDeliveryNo, type, invoice, ref, time }: Notice) {
  return {
    word: type,
    reference: ref,
    providerReference: invoice,
    amount: null,
    currency: null,
    // A delivery that is sent again has a number of its own, and is still the same event.
    dedupeKey: firstDeliveryNo ?? deliveryNo,
    mustFetch: true,
    ...(time === undefined ? {} : { orderHint: time }),
  } as const;
}

function toEvent(notice: Notice): ReportedEvent {
  const { type, afterExpiry, overpaid, reason } = notice;
  const facts: SettledFacts = { from: 'hook', late: afterExpiry, over: overpaid };
  return {
    ...aboutOf(notice),
    kind: 'payment',
    ...(type === 'invoice.invalid' ? eventDeclineOf(declines, reason) : {}),
    facts,
  };
}

export const hook = defineRoute<Options, Uint8Array>({
  path: 'crypto',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds',
  verifySignature: prove,
  parseCallback: ({ value }, { options }) => parse(value, options),
  acknowledge: acknowledgeBy({
    accepted: json('{"ok":true}'),
    bad_signature: json('{"ok":false}', 401),
    malformed: json('{"ok":false}', 400),
    try_later: json('{"ok":false}', 503),
  }),
});
