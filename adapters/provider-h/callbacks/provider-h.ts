/**
 * Route `POST providerH`: every step of a pay and of its returns. A digest over the canonical text verifies the
 * complete message.
 */
import {
  acknowledgeBy,
  defineRoute,
  genuine,
  invalidSignature,
  isJsonObject,
  malformed,
  onlyHeader,
  readAs,
  readHex,
  text,
  verifyWithAny,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { Pay, toEvent } from '../pay.ts';
import { Return, toRefundEvent } from '../refund.ts';
import { canonicalOf, digestOf, readMessage } from '../signing.ts';

export const callback = defineRoute<Options, unknown>({
  path: 'providerH',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds',
  contentTypes: ['application/json'],

  /** Verifies a message with any kind of JSON. */
  verifySignature(raw, { options }) {
    const given = readHex(onlyHeader(raw, 'X-H-Digest') ?? '', 64);
    if (!given) return invalidSignature('X-H-Digest');
    const read = readMessage(raw.body);
    if (!read) return malformed('the body is not strict JSON');
    const canonical = canonicalOf(read.value);
    const key = verifyWithAny(options.ipnSecrets, given, (secret) => digestOf(secret, canonical));
    return key === undefined ? invalidSignature('no secret makes this digest') : genuine(read.message, { key });
  },

  parseCallback({ value }, { options }) {
    if (!isJsonObject(value)) return { malformed: 'the body is not a JSON object' };
    const { shop, phase } = value;
    if (typeof shop === 'string' && shop !== options.merchantNo) return { events: [] };
    const back = phase === 'returned' ? readAs(Return, value) : undefined;
    const pay = phase === 'returned' ? undefined : readAs(Pay, value);
    const event = back ? toRefundEvent(back) : pay && toEvent(pay);
    return event ? { events: [event] } : { malformed: 'a member is missing or has another type' };
  },

  acknowledge: acknowledgeBy({
    accepted: text('OK'),
    invalid_signature: text('BAD DIGEST', 401),
    malformed: text('BAD BODY', 400),
    try_later: text('LATER', 503),
  }),
});
