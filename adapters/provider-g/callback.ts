/** POST providerG: payments, refunds, disputes and probes, signed by a key that a serial names, content in a box. */
import {
  acknowledgeBy,
  defineRoute,
  forged,
  genuine,
  hmac,
  isJsonObject,
  json,
  readAs,
  readJsonObject,
  v,
  type Parsed,
  type Provider,
  type RawCallback,
  type Verdict,
} from '@gateway/contract';
import { aadOf, openBox } from './box.ts';
import type { Options } from './options.ts';
import { proveMessage } from './proof.ts';
import { Movement, toEvent } from './words.ts';

/** What was proven: G sent it now, for us. Only its content is still to be read. */
type Delivery =
  | { readonly kind: 'news'; readonly gid: string; readonly message: unknown }
  /** `echo` answers it. */
  | { readonly kind: 'probe'; readonly echo: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

const Envelope = v.object({
  gid: v.pipe(v.string(), v.nonEmpty()),
  kind: v.string(),
  box: v.custom<Readonly<Record<string, unknown>>>(isJsonObject),
});

async function prove(raw: RawCallback, provider: Provider<Options>): Promise<Verdict<Delivery>> {
  const { options } = provider;
  const proof = await proveMessage(raw, provider);
  if ('refused' in proof) return proof.refused;

  const envelope = readAs(Envelope, readJsonObject(raw.body));
  if (!envelope) return genuine({ kind: 'unreadable', reason: 'the body is no object with gid, kind and box' });
  const { gid, kind, box } = envelope;
  if (box['aad'] !== aadOf(options, gid)) return forged('the box is bound to another merchant, or another message');
  const opened = openBox(options, box);
  if (!opened) return genuine({ kind: 'unreadable', reason: 'no box key opens the box' });
  const { message, key } = opened;
  if (message['mid'] !== options.merchantId) return forged('the message is for another merchant');
  if (kind !== 'probe') return genuine({ kind: 'news', gid, message });
  return genuine({ kind: 'probe', echo: hmac('sha256', key, proof.signature.nonce).toString('hex') });
}

const News = v.object({ g_txn: v.string(), gw_ref: v.string(), ...Movement.entries });

function read(delivery: Delivery): Parsed {
  switch (delivery.kind) {
    case 'unreadable':
      return { malformed: delivery.reason };
    case 'probe':
      return { events: [] };
    case 'news': {
      const news = readAs(News, delivery.message);
      if (!news) return { malformed: 'a member of the message is missing or of another form' };
      return { events: [toEvent(delivery.gid, news, news)] };
    }
  }
}

function failure(message: string, status: number) {
  return json(JSON.stringify({ code: 'FAIL', message }), status);
}

export const callback = defineRoute<Options, Delivery>({
  path: 'providerG',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',
  verifySignature: prove,
  parseCallback: ({ value }) => read(value),
  acknowledge: acknowledgeBy({
    accepted: json('{"code":"SUCCESS"}'),
    bad_signature: failure('signature', 401),
    stale: failure('time', 401),
    malformed: failure('body', 400),
    try_later: failure('later', 503),
  }),
  probe: ({ value }) =>
    value.kind === 'probe' ? json(JSON.stringify({ code: 'SUCCESS', echo: value.echo })) : undefined,
});
