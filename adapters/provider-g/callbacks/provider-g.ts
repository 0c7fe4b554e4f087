/**
 * Route `POST providerG`: payments, refunds, disputes and probes. Each is signed by a key that a serial names, and has
 * its content in a box.
 */
import {
  acknowledgeBy,
  defineRoute,
  genuine,
  hmac,
  invalidSignature,
  isJsonObject,
  json,
  readAs,
  readJsonBody,
  v,
} from '@paywright/contract';
import { aadOf, boxKeysOf, openBox } from '../box.ts';
import { Report, toEvent } from '../charge.ts';
import type { Options } from '../options.ts';
import { proveMessage } from '../signing.ts';

/** A verified message: G sent it now and to us. Only its content is not read yet. */
type Delivery =
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** `nonce` is the nonce of the signature. */
  | { readonly kind: 'probe'; readonly nonce: string }
  | { readonly kind: 'report'; readonly gid: string; readonly message: unknown };

const Envelope = v.object({
  gid: v.pipe(v.string(), v.nonEmpty()),
  kind: v.string(),
  box: v.custom<Readonly<Record<string, unknown>>>(isJsonObject),
});

const Bound = v.object({ aad: v.string() });

function failure(message: string, status: number) {
  return json(JSON.stringify({ code: 'FAIL', message }), status);
}

export const callback = defineRoute<Options, Delivery>({
  path: 'providerG',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',
  contentTypes: ['application/json'],

  // The box is encrypted. What it is bound to is readable, and begins with the merchant.
  accountHint: (raw) => readAs(Bound, readJsonBody(Envelope, raw)?.box)?.aad.split(':')[0],

  async verifySignature(raw, ctx) {
    const { options } = ctx;
    const proof = await proveMessage(raw, ctx);
    if ('refused' in proof) return proof.refused;

    const envelope = readJsonBody(Envelope, raw);
    if (!envelope) return genuine({ kind: 'unreadable', reason: 'the body is not an object with gid, kind and box' });
    const { gid, kind, box } = envelope;
    if (box['aad'] !== aadOf(options, gid)) return invalidSignature('the box is bound to another merchant or message');
    const opened = openBox(options, box);
    if (!opened) return genuine({ kind: 'unreadable', reason: 'no box key opens the box' });
    const { message, key } = opened;
    if (message['mid'] !== options.merchantId) return invalidSignature('the message is for another merchant');
    const { nonce } = proof.signature;
    return genuine(kind === 'probe' ? { kind, nonce } : { kind: 'report', gid, message }, { key });
  },

  parseCallback({ value }) {
    if (value.kind === 'unreadable') return { malformed: value.reason };
    if (value.kind === 'probe') return { events: [] };
    const report = readAs(Report, value.message);
    if (!report) return { malformed: 'a member of the message is missing or malformed' };
    return { events: [toEvent(value.gid, report)] };
  },

  acknowledge: acknowledgeBy({
    accepted: json('{"code":"SUCCESS"}'),
    invalid_signature: failure('signature', 401),
    stale: failure('time', 401),
    malformed: failure('body', 400),
    try_later: failure('later', 503),
  }),

  /** The echo proves to G that we hold the key that opened its box. */
  probe({ value, key }, { options }) {
    if (value.kind !== 'probe') return undefined;
    const echo = hmac('sha256', boxKeysOf(options)[key!]!, value.nonce).toString('hex');
    return json(JSON.stringify({ code: 'SUCCESS', echo }));
  },
});
