/**
 * Signatures of requests, answers and notifications: RSA (PKCS #1 v1.5, SHA-256) over some lines and the raw body. A
 * serial names the key.
 */
import { sign, verify, type KeyLike, type KeyObject } from 'node:crypto';
import {
  headerValues,
  invalidSignature,
  isFresh,
  onlyHeader,
  readBase64,
  readJsonBody,
  requestTarget,
  rfc3339,
  stale,
  tryLater,
  v,
  type HttpReply,
  type HttpRequest,
  type RawCallback,
  type Remembered,
  type Verdict,
} from '@paywright/contract';
import { PlatformSerial, readPublicKey, serialOf, type Context, type Options } from './options.ts';
import { openResource } from './resource.ts';

const SCHEME = 'WECHATPAY2-SHA256-RSA2048';
const TOLERANCE_MS = 300_000;
/** Downloaded certificates are kept for 12 hours, as WeChat Pay advises. */
const KEPT_MS = 12 * 3_600_000;
/** A serial that the list lacks makes us download the list again, at most once in this time. */
const RELOAD_MS = 60_000;

/** The headers of a message that WeChat Pay signed. */
export interface Signature {
  /** Unix seconds, as sent. */
  readonly time: string;
  readonly nonce: string;
  /** Names the key. */
  readonly serial: string;
  readonly sign: Uint8Array;
}

/** The signed text: the lines, then the raw body. A line feed ends each. */
export function signedText(lines: readonly string[], raw: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(lines.map((line) => `${line}\n`).join('')), raw, Buffer.from('\n')]);
}

/** The headers of a message, signed as WeChat Pay does. */
export function signedHeaders(
  { serial, privateKey }: { readonly serial: string; readonly privateKey: KeyLike },
  { time, nonce }: Pick<Signature, 'time' | 'nonce'>,
  body: Uint8Array,
): Readonly<Record<string, string>> {
  return {
    'Wechatpay-Timestamp': time,
    'Wechatpay-Nonce': nonce,
    'Wechatpay-Serial': serial,
    'Wechatpay-Signature': sign('sha256', signedText([time, nonce], body), privateKey).toString('base64'),
    'Wechatpay-Signature-Type': SCHEME,
  };
}

/** A request of ours. `path` includes the query. With a body it is a POST. */
export function signedRequest(path: string, { options, baseUrl, now, random }: Context, body?: string): HttpRequest {
  const { mchid, merchantKey, platformKeys } = options;
  const method = body === undefined ? 'GET' : 'POST';
  const time = String(Math.floor(now().getTime() / 1000));
  const nonce = Buffer.from(random(16)).toString('hex');
  const text = signedText([method, requestTarget(baseUrl, path), time, nonce], Buffer.from(body ?? ''));
  const signature = sign('sha256', text, merchantKey.privateKey).toString('base64');
  const parts = { mchid, nonce_str: nonce, timestamp: time, serial_no: merchantKey.serial, signature };
  const written = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  const headers = {
    Accept: 'application/json',
    Authorization: `${SCHEME} ${written.join(',')}`,
    // WeChat Pay signs its answer with this key.
    ...(platformKeys[0] ? { 'Wechatpay-Serial': platformKeys[0].serial } : {}),
  };
  if (body === undefined) return { method, path, headers };
  return { method, path, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

/** Reads the headers; undefined if one is missing, repeated or invalid, or names another scheme. */
export function readSignature(message: Pick<RawCallback, 'headers'>): Signature | undefined {
  const [time = '', nonce = '', serial = '', given = ''] = ['Timestamp', 'Nonce', 'Serial', 'Signature'].map((name) =>
    onlyHeader(message, `Wechatpay-${name}`),
  );
  // WeChat Pay sometimes sends a wrong signature, to test that it is refused: WECHATPAY/SIGNTEST/ and random text.
  const bytes = readBase64(given);
  const isFormed = /^\d{1,15}$/.test(time) && /^[\x21-\x7e]{1,64}$/.test(nonce) && v.is(PlatformSerial, serial);
  const isOurScheme = headerValues(message, 'Wechatpay-Signature-Type').every((type) => type === SCHEME);
  return isFormed && isOurScheme && bytes ? { time, nonce, serial, sign: bytes } : undefined;
}

/** Verifies that WeChat Pay sent these bytes now. Returns undefined if it did. */
export async function refuseMessage(
  message: Pick<RawCallback, 'headers' | 'body'>,
  ctx: Context,
): Promise<Verdict<never> | undefined> {
  const signature = readSignature(message);
  if (!signature) return invalidSignature('a signature header is missing, repeated or invalid');
  const key = await findKey(signature.serial, ctx);
  if (key === 'unavailable') return tryLater('the key of the signature is not available');
  if (key === 'unknown') return invalidSignature('no key of WeChat Pay has the serial of the signature');
  const { time, nonce, sign: given } = signature;
  if (!verify('sha256', signedText([time, nonce], message.body), key, given)) return invalidSignature('the signature');
  return isFresh(Number(time) * 1000, ctx.now(), TOLERANCE_MS) ? undefined : stale('the time of the signature');
}

/** True if WeChat Pay signed this answer now. */
export async function isSigned(reply: HttpReply, ctx: Context): Promise<boolean> {
  return (await refuseMessage(reply, ctx)) === undefined;
}

/**
 * The key of a serial: from the options, or from the platform certificates, which are downloaded and kept. `unknown`:
 * no key has this serial now. `unavailable`: the list could not be downloaded. Never rejects, because the request
 * whose answer is verified may have charged.
 */
async function findKey(serial: string, ctx: Context): Promise<KeyObject | 'unknown' | 'unavailable'> {
  const { options, baseUrl, cache, now } = ctx;
  const known = options.platformKeys.find((key) => key.serial === serial);
  if (known) return readPublicKey(known.publicKey)!;
  // WeChat Pay never sends a public key. The operator lists it.
  if (serial.startsWith('PUB_KEY_ID_')) return 'unknown';
  // A certificate of the sandbox must never verify a live message.
  const name = `certificates ${baseUrl} ${options.mchid}`;
  try {
    const load = () => cache.remember(name, () => downloadKeys(ctx));
    let list = await load();
    if (!list.keys.has(serial) && now().getTime() - list.loadedAt >= RELOAD_MS) {
      cache.forget(name, list);
      list = await load();
    }
    const found = list.keys.get(serial);
    return found && now() < found.end ? found.key : 'unknown';
  } catch {
    return 'unavailable'; // The answer was unreadable, or core allows no more loads in this minute.
  }
}

const Certificates = v.object({
  data: v.array(
    v.object({
      serial_no: v.string(),
      effective_time: rfc3339,
      expire_time: rfc3339,
      encrypt_certificate: v.looseObject({}),
    }),
  ),
});
type Certificate = v.InferOutput<typeof Certificates>['data'][number];

/** Requests the list of platform certificates. */
export function certificatesRequest(ctx: Context): HttpRequest {
  return signedRequest('/v3/certificates', ctx);
}

/** The certificates of an answer; undefined if the answer has another form. */
export function readCertificates(reply: HttpReply): readonly Certificate[] | undefined {
  return reply.status === 200 ? readJsonBody(Certificates, reply)?.data : undefined;
}

/** The key of a certificate, if an APIv3 key decrypts it and its serial is the named one. */
export function openCertificate(
  options: Options,
  { serial_no, encrypt_certificate }: Certificate,
): KeyObject | undefined {
  const pem = openResource(options, encrypt_certificate)?.toString();
  return pem !== undefined && serialOf(pem) === serial_no ? readPublicKey(pem) : undefined;
}

/** Platform keys by serial, each with the end of its certificate. */
interface PlatformKeys {
  readonly loadedAt: number;
  readonly keys: ReadonlyMap<string, { readonly key: KeyObject; readonly end: Date }>;
}

/**
 * Downloads the platform certificates; rejects without a readable answer. The APIv3 key proves each certificate. The
 * signature of the answer is not verified, because the key may be a certificate of the same list.
 */
async function downloadKeys(ctx: Context): Promise<Remembered<PlatformKeys>> {
  const now = ctx.now();
  const certificates = readCertificates(await ctx.http.send({ ...certificatesRequest(ctx), chargesNothing: true }));
  if (!certificates) throw new Error('the answer of WeChat Pay is not a list of certificates');
  const keys = certificates.flatMap((one) => {
    const key = one.effective_time <= now ? openCertificate(ctx.options, one) : undefined;
    return key ? [[one.serial_no, { key, end: one.expire_time }] as const] : [];
  });
  const loadedAt = now.getTime();
  return { value: { loadedAt, keys: new Map(keys) }, until: new Date(loadedAt + KEPT_MS) };
}
