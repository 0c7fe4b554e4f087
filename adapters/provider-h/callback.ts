/** POST providerH: every step of a pay and of its returns, proven whole by a digest over the canonical text. */
import {
  acknowledgeBy,
  defineRoute,
  forged,
  genuine,
  isJsonObject,
  malformed,
  onlyHeader,
  provenByAny,
  readAs,
  readHex,
  text,
  type Provider,
  type RawCallback,
  type ReportedEvent,
  type Verdict,
} from '@gateway/contract';
import { canonicalText, digestOf, readMessage } from './signing.ts';
import type { Options } from './options.ts';
import { Pay, toEvent } from './pay.ts';
import { Return, toRefundEvent } from './refund.ts';

/** Proves a message of any kind of JSON. */
function prove(raw: RawCallback, { options }: Provider<Options>): Verdict<unknown> {
  const given = readHex(onlyHeader(raw, 'X-H-Digest') ?? '', 64);
  if (!given) return forged('X-H-Digest');
  const read = readMessage(raw.body);
  if (!read) return malformed('not strict JSON');
  const canonical = canonicalText(read.text);
  const isProven = provenByAny(options.ipnSecrets, given, (secret) => digestOf(secret, canonical));
  return isProven ? genuine(read.message) : forged('no secret makes this digest');
}

function readEvent(message: Readonly<Record<string, unknown>>): ReportedEvent | undefined {
  if (message['phase'] === 'returned') {
    const back = readAs(Return, message);
    return back && toRefundEvent(back);
  }
  const pay = readAs(Pay, message);
  return pay && toEvent(pay);
}

export const callback = defineRoute<Options, unknown>({
  path: 'providerH',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds',
  verifySignature: prove,
  parseCallback({ value }, { options }) {
    if (!isJsonObject(value)) return { malformed: 'not a JSON object' };
    const { shop } = value;
    if (typeof shop === 'string' && shop !== options.merchantNo) return { events: [] };
    const event = readEvent(value);
    return event ? { events: [event] } : { malformed: 'a member is missing or of another type' };
  },
  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    bad_signature: text('BAD DIGEST', 401),
    malformed: text('BAD BODY', 400),
    try_later: text('LATER', 503),
  }),
});
