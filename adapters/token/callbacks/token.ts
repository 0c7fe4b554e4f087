/**
 * Callback `POST token`: charges, refunds, disputes and the life of tokens. The signature covers address, id, time and
 * raw body.
 */
import {
  acknowledgeBy,
  defined,
  defineRoute,
  genuine,
  invalidSignature,
  isFresh,
  json,
  jsonInteger,
  lenient,
  moneyFromMinor,
  onlyHeader,
  readAs,
  readJsonObject,
  rfc3339,
  stale,
  toEventDecline,
  v,
  verifyWithAny,
  type Parsed,
  type ReportedEvent,
} from '@paywright/contract';
import { Minor } from '../charge.ts';
import { hookKey, type Options } from '../options.ts';
import { entriesOf, hookMac, signedBody, type AckVerdict } from '../signing.ts';
import { refusalOf } from '../statuses.ts';

const TOLERANCE_MS = 300_000;

/** A delivery with a verified signature. */
interface Delivery {
  readonly id: string;
  /** Unix seconds, as sent. */
  readonly time: string;
  /** Undefined if the event's name or the merchant is missing. */
  readonly message: Message | 'another merchant' | undefined;
}

const Text = v.string();

/** Members of each family of events. A missing or malformed member is undefined. */
const Message = v.object({
  event: Text,
  mid: Text,
  charge: lenient(v.object({ id: Text, ref: Text, state: Text, minor: Minor, cur: Text, why: v.nullable(Text) })),
  refund: lenient(v.object({ id: Text, state: Text, minor: Minor })),
  dispute: lenient(v.object({ id: Text, stage: Text, minor: Minor })),
  token: lenient(v.object({ handle: Text, state: Text, brand: Text, last4: Text, expires: Text })),
  seq: lenient(jsonInteger()),
  at: lenient(rfc3339),
});
type Message = v.InferOutput<typeof Message>;

const Named = v.object({ mid: Text });

/** The subject's `state`, which must match the event's name. */
type Subject = Omit<ReportedEvent, 'providerStatus' | 'dedupeKey'> & { readonly state?: string };

const nameless = { reference: null, providerReference: null, amount: null, currency: null } as const;

const kinds = { charge: 'payment', refund: 'refund', dispute: 'chargeback' } as const;

/** The subject of an event. Undefined if a member of its family is missing. */
function subjectOf(family: string, message: Message): Subject | undefined {
  const { charge, token } = message;
  if (family === 'token') return token && { kind: 'token', ...nameless, providerReference: token.handle };
  if (family !== 'charge' && family !== 'refund' && family !== 'dispute') return { kind: 'payment', ...nameless };
  const part = message[family];
  if (!charge || !part) return undefined;
  return {
    kind: kinds[family],
    reference: charge.ref,
    providerReference: charge.id,
    ...(family === 'charge' ? {} : { subReference: part.id }),
    ...moneyFromMinor(part.minor, charge.cur),
    state: 'stage' in part ? part.stage : part.state,
  };
}

function readMessage(id: string, message: Message): Parsed {
  const { event, charge, seq, at } = message;
  const [, family = '', named = event] = /^([^.]*)\.(.*)$/s.exec(event) ?? [];
  const subject = subjectOf(family, message);
  if (!subject) return { malformed: `a member that ${family} events require is missing or of another type` };
  const { state = named, ...facts } = subject;
  const agrees = state === named;
  const refusal = agrees && event === 'charge.failed' ? toEventDecline(refusalOf(charge?.why)) : {};
  const detail = { ...refusal, ...defined({ orderHint: seq, occurredAt: at }), facts: { agrees } };
  return { events: [{ ...facts, providerStatus: event, dedupeKey: id, ...detail }] };
}

export const callback = defineRoute<Options, Delivery>({
  path: 'token',
  method: 'POST',
  caller: 'server',
  reports: 'charges, refunds, disputes and the life of tokens',
  contentTypes: ['application/json'],

  accountHint: ({ body }) => readAs(Named, readJsonObject(body))?.mid,

  verifySignature(raw, { options, now }) {
    const [id = '', time = '', sign = ''] = ['tk-id', 'tk-time', 'tk-sign'].map((name) => onlyHeader(raw, name));
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return invalidSignature('tk-id is missing, repeated or of another form');
    if (!/^[1-9][0-9]{0,11}$/.test(time)) return invalidSignature('tk-time is missing, repeated or of another form');
    const macOf = (key: Uint8Array): Buffer => hookMac(key, options.callbackUrl, id, time, raw.body);
    const key = verifyWithAny(options.hookSecrets.map(hookKey), entriesOf(sign), macOf);
    if (key === undefined) return invalidSignature('tk-sign has no correct v1 entry');
    if (!isFresh(Number(time) * 1000, now(), TOLERANCE_MS)) return stale('tk-time');
    const read = readAs(Message, readJsonObject(raw.body));
    const isOfAnother = read !== undefined && read.mid !== options.merchantId;
    return genuine<Delivery>({ id, time, message: isOfAnother ? 'another merchant' : read }, { key });
  },

  parseCallback({ value: { id, message } }) {
    if (!message) return { malformed: 'event or mid is missing' };
    if (message === 'another merchant' || message.event === 'vault.ping') return { events: [] };
    return readMessage(id, message);
  },

  /**
   * Signs with the newest secret, even if another secret verified the callback. Unverified or unstored callbacks get no
   * signature.
   */
  acknowledge({ outcome, verified }, { options }) {
    const reject = json('{"verdict":"reject"}', 401);
    const signed = (verdict: AckVerdict, status?: number) =>
      verified
        ? json(signedBody(options.hookSecrets, verified.value.id, verified.value.time, verdict), status)
        : reject;
    return acknowledgeBy({
      accepted: signed('accept'),
      invalid_signature: reject,
      stale: json('{"verdict":"stale"}', 400),
      malformed: signed('reject', 422),
      try_later: json('{"verdict":"later"}', 503),
    })({ outcome });
  },
});
