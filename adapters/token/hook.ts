/** POST token: charges, refunds, disputes and the life of tokens, signed over address, id, time and raw body. */
import {
  defineRoute,
  forged,
  genuine,
  hmac,
  isFresh,
  json,
  onlyHeader,
  provenByAny,
  readBase64,
  readJsonObject,
  stale,
  type Acknowledgement,
  type AckContext,
  type Provider,
  type RawCallback,
  type Verdict,
} from '@gateway/contract';
import { readMessage } from './message.ts';
import { hookKey, type Options } from './options.ts';

const TOLERANCE_MS = 300_000;

/** A delivery that was proven; its message is not looked at yet. */
interface Delivery {
  readonly id: string;
  /** Unix seconds, as sent. */
  readonly time: string;
  /** Undefined where the body is no JSON object. */
  readonly message: unknown;
}

/** What a `v1` entry of `tk-sign` holds; `address` is the registered one. */
export function hookMac(key: Uint8Array, address: string, id: string, time: string, body: Uint8Array): Buffer {
  return hmac('sha256', key, `${address}.${id}.${time}.`, body);
}

function prove(raw: RawCallback, provider: Provider<Options>): Verdict<Delivery> {
  const { hookSecrets, callbackUrl } = provider.options;
  const id = onlyHeader(raw, 'tk-id') ?? '';
  const time = onlyHeader(raw, 'tk-time') ?? '';
  const sign = onlyHeader(raw, 'tk-sign') ?? '';
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return forged('tk-id is missing, repeated or of another form');
  if (!/^[1-9][0-9]{0,11}$/.test(time)) return forged('tk-time is missing, repeated or of another form');

  const keys = hookSecrets.map(hookKey);
  // Every entry is tried under every secret, so that the time taken does not tell which one fits.
  const isProven = provenByAny(keys, entriesOf(sign), (key) => hookMac(key, callbackUrl, id, time, raw.body));
  if (!isProven) return forged('tk-sign has no right v1 entry');
  if (!isFresh(Number(time) * 1000, provider.now(), TOLERANCE_MS)) return stale('tk-time');
  return genuine({ id, time, message: readJsonObject(raw.body) });
}

/** The `v1` entries; other versions and garbage are skipped. */
function entriesOf(sign: string): Buffer[] {
  return sign.split(' ').flatMap((entry) => {
    const value = entry.startsWith('v1,') ? readBase64(entry.slice('v1,'.length)) : undefined;
    return value ? [value] : [];
  });
}

export type AckVerdict = 'accept' | 'reject';

/** The signed acknowledgement: `time` is that of the delivery, so equal deliveries get equal bytes. */
export function signedBody([newest]: readonly string[], id: string, time: string, verdict: AckVerdict): string {
  const sign = hmac('sha256', hookKey(newest ?? ''), `${id};${verdict};${time}`).toString('base64');
  return JSON.stringify({ tk_id: id, verdict, time: Number(time), sign });
}

// What is not proven, or not stored, gets no signature of ours.
const unsigned: { readonly [K in AckContext<unknown>['outcome']]?: Acknowledgement } = {
  bad_signature: json('{"verdict":"reject"}', 401),
  stale: json('{"verdict":"stale"}', 400),
  try_later: json('{"verdict":"later"}', 503),
};

function acknowledge({ outcome, proven }: AckContext<Delivery>, { options }: Provider<Options>): Acknowledgement {
  const refusal = unsigned[outcome];
  if (refusal || !proven) return refusal ?? unsigned.bad_signature!;
  const { id, time } = proven.value;
  return outcome === 'malformed'
    ? json(signedBody(options.hookSecrets, id, time, 'reject'), 422)
    : json(signedBody(options.hookSecrets, id, time, 'accept'));
}

export const hook = defineRoute<Options, Delivery>({
  path: 'token',
  method: 'POST',
  caller: 'server',
  reports: 'charges, refunds, disputes and the life of tokens',
  verifySignature: prove,
  parseCallback: ({ value: { id, message } }, { options }) => readMessage(id, message, options),
  acknowledge,
});
