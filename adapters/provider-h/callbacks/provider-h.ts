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
  v,
  verifyWithAny,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { Pay, toEvent } from '../pay.ts';
import { Return, toRefundEvent } from '../refund.ts';
import { canonicalOf, digestOf, readMessage } from '../signing.ts';

/** The message of another shop is not kept. Null stands for a message that is not a JSON object. */
type Delivery = Readonly<Record<string, unknown>> | 'another shop' | null;

const Named = v.object({ shop: v.string() });

export const callback = defineRoute<Options, Delivery>({
  path: 'providerH',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds',
  contentTypes: ['application/json'],

  accountHint: ({ body }) => readAs(Named, readMessage(body)?.message)?.shop,

  /** Verifies a message with any kind of JSON. */
  verifySignature(raw, { options }) {
    const given = readHex(onlyHeader(raw, 'X-H-Digest') ?? '', 64);
    if (!given) return invalidSignature('X-H-Digest');
    const read = readMessage(raw.body);
    if (!read) return malformed('the body is not strict JSON');
    const canonical = canonicalOf(read.value);
    const key = verifyWithAny(options.ipnSecrets, given, (secret) => digestOf(secret, canonical));
    if (key === undefined) return invalidSignature('no secret makes this digest');
    const message = isJsonObject(read.message) ? read.message : null;
    const shop = message?.['shop'];
    const isOfAnother = typeof shop === 'string' && shop !== options.merchantNo;
    return genuine<Delivery>(isOfAnother ? 'another shop' : message, { key });
  },

  parseCallback({ value }) {
    if (value === null) return { malformed: 'the body is not a JSON object' };
    if (value === 'another shop') return { events: [] };
    const { phase } = value;
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
