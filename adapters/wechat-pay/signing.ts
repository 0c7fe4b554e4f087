/** Who signed: RSA (PKCS #1 v1.5, SHA-256) over a few lines and the raw body, under a key that a serial names. */
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
/** A certificate is asked for again after so long, as WeChat Pay advises. */
const REMEMBERED_MS = 12 * 3_600_000;
/** How long a serial that has no key is remembered, so that forged messages do not make us ask again and again. */
const DENIED_MS = 60_000;

/** What the headers of a message of WeChat Pay say. */
export interface Signature {
  /** Unix seconds, as sent. */
  readonly time: string;
  readonly nonce: string;
  /** Names the key. */
  readonly serial: string;
  readonly sign: Uint8Array;
}

/** What is signed: the lines, then the raw body. LF closes each. */
export function signedText(lines: readonly string[], raw: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(lines.map((line) => `${line}\n`).join('')), raw, Buffer.from('\n')]);
}

/** The headers of a message as WeChat Pay signs it. */
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

/** A request of ours, `path` with its query: a POST where it has a body. */
export function signedRequest(path: string, { options, baseUrl, now, random }: Context, body?: string): HttpRequest {
  const { mchid, merchantKey } = options;
  const method = body === undefined ? 'GET' : 'POST';
  const time = String(Math.floor(now().getTime() / 1000));
  const nonce = Buffer.from(random(16)).toString('hex');
  const text = signedText([method, requestTarget(baseUrl, path), time, nonce], Buffer.from(body ?? ''));
  const signature = sign('sha256', text, merchantKey.privateKey).toString('base64');
  const parts = { mchid, nonce_str: nonce, timestamp: time, serial_no: merchantKey.serial, signature };
  const written = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  const headers = {
    Accept: 'application/json',
    // WeChat Pay refuses a request without one.
    'User-Agent': 'payment-gateway',
    Authorization: `${SCHEME} ${written.join(',')}`,
    // Asks for answers that this key signs, where we were given one.
    ...(options.platformKeys[0] ? { 'Wechatpay-Serial': options.platformKeys[0].serial } : {}),
  };
  if (body === undefined) return { method, path, headers };
  return { method, path, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

/** Reads the headers; undefined where one is missing, repeated or of another form, or names another scheme. */
export function readSignature(message: Pick<RawCallback, 'headers'>): Signature | undefined {
  const [time = '', nonce = '', serial = '', given = ''] = ['Timestamp', 'Nonce', 'Serial', 'Signature'].map((name) =>
    onlyHeader(message, `Wechatpay-${name}`),
  );
  // A probe of WeChat Pay's own has a signature that begins with WECHATPAY/SIGNTEST/: it is no base64, and refused as any other.
  const bytes = readBase64(given);
  const isFormed = /^\d{1,15}$/.test(time) && /^[\x21-\x7e]{1,64}$/.test(nonce) && v.is(PlatformSerial, serial);
  const isOurs = headerValues(message, 'Wechatpay-Signature-Type').every((type) => type === SCHEME);
  return isFormed && isOurs && bytes ? { time, nonce, serial, sign: bytes } : undefined;
}

/** Verifies a callback or an answer: who sent these bytes, and that it was now. */
export async function refuseMessage(
  message: Pick<RawCallback, 'headers' | 'body'>,
  ctx: Context,
): Promise<Verdict<never> | undefined> {
  const signature = readSignature(message);
  if (!signature) return invalidSignature('a signature header is missing, repeated or of another form');
  const key = await findKey(signature.serial, ctx);
  if (key === 'unavailable') return tryLater('the key of the signature could not be had');
  if (key === 'denied') return invalidSignature('no key of WeChat Pay has the serial of the signature');
  const { time, nonce, sign: given } = signature;
  if (!verify('sha256', signedText([time, nonce], message.body), key, given)) return invalidSignature('the signature');
  return isFresh(Number(time) * 1000, ctx.now(), TOLERANCE_MS) ? undefined : stale('the time of the signature');
}

/** Whether WeChat Pay signed this answer, just now. */
export async function isSigned(reply: HttpReply, ctx: Context): Promise<boolean> {
  return (await refuseMessage(reply, ctx)) === undefined;
}

/**
 * The key of a serial: of the options, or of a platform certificate that is asked for and remembered. `denied`: no key has
 * this serial now; `unavailable`: that cannot be known at this moment. Never rejects: a request may have gone out before.
 */
export async function findKey(serial: string, ctx: Context): Promise<KeyObject | 'denied' | 'unavailable'> {
  const { options, baseUrl, cache } = ctx;
  const known = options.platformKeys.find((key) => key.serial === serial);
  if (known) return readPublicKey(known.publicKey)!;
  // A public key is only ever given to us at the merchant platform.
  if (serial.startsWith('PUB_KEY_ID_')) return 'denied';
  try {
    // By address: a certificate that the sandbox gives must verify nothing that is live.
    return await cache.remember(`certificate ${baseUrl} ${options.mchid} ${serial}`, () => learnKey(serial, ctx));
  } catch {
    return 'unavailable'; // No readable answer, or core allows no further question: the message may be sent again.
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

/** Asks for all certificates that are in use. */
export function certificatesRequest(ctx: Context): HttpRequest {
  return signedRequest('/v3/certificates', ctx);
}

/** The certificates of an answer; undefined where it holds none that can be read. */
export function readCertificates(reply: HttpReply): readonly Certificate[] | undefined {
  return reply.status === 200 ? readJsonBody(Certificates, reply)?.data : undefined;
}

/** The key of a certificate that our APIv3 key opens, and whose serial is the one that the answer gives. */
export function openCertificate(options: Options, { serial_no, encrypt_certificate }: Certificate): KeyObject | undefined {
  const pem = openResource(options, encrypt_certificate)?.toString();
  return pem !== undefined && serialOf(pem) === serial_no ? readPublicKey(pem) : undefined;
}

/**
 * Asks once; rejects where no readable answer comes. Each certificate is proved by our APIv3 key, whatever signs the
 * answer, which may be a certificate of the list itself.
 */
async function learnKey(serial: string, ctx: Context): Promise<Remembered<KeyObject | 'denied'>> {
  const now = ctx.now().getTime();
  const certificates = readCertificates(await ctx.http.send(certificatesRequest(ctx)));
  if (!certificates) throw new Error('WeChat Pay gave no readable answer about its certificates');
  const found = certificates.find(({ serial_no }) => serial_no === serial);
  const isInUse = found && found.effective_time.getTime() <= now && now < found.expire_time.getTime();
  const key = isInUse ? openCertificate(ctx.options, found) : undefined;
  if (!found || !key) return { value: 'denied', until: new Date(now + DENIED_MS) };
  return { value: key, until: new Date(Math.min(now + REMEMBERED_MS, found.expire_time.getTime())) };
}
