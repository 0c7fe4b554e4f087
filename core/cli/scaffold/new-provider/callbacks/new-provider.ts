/** POST newProvider: one message, sealed over its time and its bytes. */
import {
  acknowledgeBy,
  defineRoute,
  empty,
  eventDeclineOf,
  invalidSignature,
  fromMinor,
  genuine,
  hmac,
  isFresh,
  jsonDigits,
  malformed,
  onlyHeader,
  verifyWithAny,
  readAs,
  readHex,
  readJsonObject,
  stale,
  text,
  v,
  type AdapterContext,
  type RawCallback,
  type ReportedEvent,
  type Verdict,
} from '@gateway/contract';
import type { Options } from '../options.ts';
import { decide, undecided } from '../undecided.ts';
import { declines } from '../statuses.ts';

const Name = v.pipe(v.string(), v.minLength(1));

/** `about` names the refund or the dispute, where it is about one; the amount is in minor units. */
const Message = v.object({
  account: v.string(),
  mode: v.picklist(['live', 'test']),
  kind: v.picklist(['payment', 'refund', 'chargeback']),
  payment: Name,
  about: v.nullish(Name),
  reference: v.string(),
  amount: jsonDigits(15),
  currency: v.string(),
  status: Name,
  reason: v.nullish(v.string()),
});
export type Message = v.InferOutput<typeof Message>;

export const sealHeader = 'New-Provider-Seal';
const TOLERANCE_MS = decide(undecided.proof, 300_000);

/** `t=<Unix seconds>,s=<hex>`: HMAC-SHA256 over `<t>.` and the raw body. */
export function seal(secret: string, seconds: string, body: Uint8Array): string {
  return `t=${seconds},s=${macOf(secret, seconds, body).toString('hex')}`;
}

function macOf(secret: string, seconds: string, body: Uint8Array): Buffer {
  return hmac('sha256', secret, `${seconds}.`, body);
}

/** The seal first: what nobody proved is not read. */
function prove(raw: RawCallback, { options, now }: AdapterContext<Options>): Verdict<Message> {
  const [, seconds = '', hex = ''] = /^t=(\d{1,12}),s=(\w+)$/.exec(onlyHeader(raw, sealHeader) ?? '') ?? [];
  const right =
    verifyWithAny(options.noticeSecrets, readHex(hex, 32), (secret) => macOf(secret, seconds, raw.body)) !== undefined;
  if (!right) return invalidSignature('no secret of ours makes this seal');
  if (!isFresh(Number(seconds) * 1000, now(), TOLERANCE_MS)) return stale('sealed too long ago, or in the future');
  const message = readAs(Message, readJsonObject(raw.body));
  if (!message) return malformed('no message that we can read');
  return message.account === options.account ? genuine(message) : invalidSignature('for another account');
}

function toEvent({ kind, payment, about, reference, amount, currency, status, reason, mode }: Message): ReportedEvent {
  const isRefusal = kind === 'payment' && status === decide(undecided.event, 'refused');
  return {
    kind,
    providerStatus: status,
    reference,
    providerReference: payment,
    ...(about ? { subReference: about } : {}),
    amount: fromMinor(amount, currency),
    currency,
    // The operation and its result: a repetition, or the same fact in a status answer, is the same event.
    dedupeKey: `${about ?? payment}:${status}`,
    ...(isRefusal ? eventDeclineOf(declines, reason) : {}),
    mode,
  };
}

export const callback = defineRoute<Options, Message>({
  path: 'newProvider',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',
  verifySignature: prove,
  parseCallback: ({ value }) => ({ events: [toEvent(value)] }),
  acknowledge: acknowledgeBy({
    accepted: decide(undecided.acknowledgement, text('received')),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});
