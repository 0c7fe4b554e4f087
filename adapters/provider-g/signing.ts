/** Signatures: RSA over a few lines and the raw body, carried in four headers, under a key that a serial names. */
import { sign, verify, type KeyLike, type KeyObject } from 'node:crypto';
import {
  invalidSignature,
  isFresh,
  onlyHeader,
  readAs,
  readBase64,
  readJsonObject,
  readRfc3339,
  requestTarget,
  stale,
  tryLater,
  v,
  type HttpRequest,
  type RawCallback,
  type Remembered,
  type Verdict,
} from '@paywright/contract';
import { openBound } from './box.ts';
import { PublicKey, readPublicKey, type Context } from './options.ts';

const TOLERANCE_MS = 300_000;
/** How long an unknown serial is remembered, so that forged messages do not cause repeated requests. */
const DENIED_MS = 60_000;

/** The values of the signature headers. */
export interface Signature {
  /** Unix seconds, as sent. */
  readonly time: string;
  readonly nonce: string;
  /** Names the key. */
  readonly serial: string;
  readonly sign: Uint8Array;
}

/**
 * The signed text. For a message of G: time, nonce and raw body. For our request: method and target (path with query,
 * including the base address's own path) come first. Each part ends with LF.
 */
export function signedText(lines: readonly string[], raw: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(lines.map((line) => `${line}\n`).join('')), raw, Buffer.from('\n')]);
}

/** The four headers of a message, signed with a private key (PEM, or a key object). */
export function signedHeaders(
  { serial, privateKey }: { readonly serial: string; readonly privateKey: KeyLike },
  { time, nonce }: Pick<Signature, 'time' | 'nonce'>,
  text: Uint8Array,
): Record<'G-Time' | 'G-Nonce' | 'G-Serial' | 'G-Sign', string> {
  // For an RSA key, node:crypto signs with PKCS #1 v1.5.
  const signature = sign('sha256', text, privateKey).toString('base64');
  return { 'G-Time': time, 'G-Nonce': nonce, 'G-Serial': serial, 'G-Sign': signature };
}

/** Our signed request; `path` includes the query. With a body it is a POST, and its box has the same nonce. */
export function signedRequest(path: string, ctx: Context, random = ctx.random(12), body?: string): HttpRequest {
  const { options, baseUrl, now } = ctx;
  const method = body === undefined ? 'GET' : 'POST';
  const [time, nonce] = [String(Math.floor(now().getTime() / 1000)), Buffer.from(random).toString('hex')];
  const text = signedText([method, requestTarget(baseUrl, path), time, nonce], Buffer.from(body ?? ''));
  const headers = { 'G-Mid': options.merchantId, ...signedHeaders(options.merchantKey, { time, nonce }, text) };
  if (body === undefined) return { method, path, headers };
  return { method, path, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

/** Reads the four headers. Undefined if one is missing, repeated or malformed. */
export function readSignature(message: Pick<RawCallback, 'headers'>): Signature | undefined {
  const [time = '', nonce = '', serial = '', given = ''] = ['G-Time', 'G-Nonce', 'G-Serial', 'G-Sign'].map((name) =>
    onlyHeader(message, name),
  );
  const isFormed = /^\d{1,15}$/.test(time) && /^[A-Za-z0-9_-]{8,64}$/.test(nonce) && /^[0-9A-F]{8,40}$/.test(serial);
  const bytes = readBase64(given);
  return isFormed && bytes ? { time, nonce, serial, sign: bytes } : undefined;
}

export function isSignedBy(key: KeyObject, text: Uint8Array, { sign: given }: Signature): boolean {
  return verify('sha256', text, key, given);
}

/**
 * Verifies a callback or a 200 reply: the sender of these bytes, and that they are current. The content is checked
 * elsewhere.
 */
export async function proveMessage(
  message: Pick<RawCallback, 'headers' | 'body'>,
  ctx: Context,
): Promise<{ readonly signature: Signature } | { readonly refused: Verdict<never> }> {
  const signature = readSignature(message);
  if (!signature) return { refused: invalidSignature('a signature header is missing, repeated or malformed') };
  const key = await findKey(signature.serial, ctx);
  if (key === 'unavailable') return { refused: tryLater('the key of the signature is not available') };
  if (key === 'denied') return { refused: invalidSignature('no key of G has the serial of the signature') };
  const { time, nonce } = signature;
  if (!isSignedBy(key, signedText([time, nonce], message.body), signature))
    return { refused: invalidSignature('G-Sign') };
  if (!isFresh(Number(time) * 1000, ctx.now(), TOLERANCE_MS)) return { refused: stale('G-Time') };
  return { signature };
}

/**
 * The key of a serial: from the options, or fetched from G and cached. `denied`: G has no valid key with this serial.
 * `unavailable`: unknown at this moment. Never rejects, because a request may have been sent before.
 */
export async function findKey(serial: string, ctx: Context): Promise<KeyObject | 'denied' | 'unavailable'> {
  const { options, baseUrl, cache } = ctx;
  const known = options.providerKeys.find((key) => key.serial === serial);
  if (known) return readPublicKey(known.publicKey)!;
  try {
    // Cached by address: a key from the sandbox must not verify live messages.
    return await cache.remember(`key ${baseUrl} ${options.merchantId} ${serial}`, () => learnKey(serial, ctx));
  } catch {
    return 'unavailable'; // The answer was unreadable, or core allows no further fetch now: the message may be sent again.
  }
}

const Time = v.pipe(v.string(), v.transform(readRfc3339), v.date());
const KeyAnswer = v.object({ mid: v.string(), serial: v.string(), publicKey: PublicKey, from: Time, until: Time });

/**
 * Fetches a key once. Rejects if the answer is unreadable. The answer is verified by its box, whichever key signs it.
 * The key counts if it is the requested one, is long enough, and is valid now.
 */
async function learnKey(serial: string, ctx: Context): Promise<Remembered<KeyObject | 'denied'>> {
  const { options, http } = ctx;
  const now = ctx.now();
  const denied = { value: 'denied', until: new Date(now.getTime() + DENIED_MS) } as const;
  const reply = await http.send(signedRequest(`/v1/keys/${serial}`, ctx));
  if (reply.status === 404) return denied;
  const message = openBound(options, serial, readJsonObject(reply.body)?.['box']);
  if (reply.status !== 200 || !message) throw new Error('G gave no readable answer about a key');
  const answer = readAs(KeyAnswer, message);
  if (answer?.mid !== options.merchantId || answer.serial !== serial) return denied;
  const { publicKey, from, until } = answer;
  return from <= now && now <= until ? { value: readPublicKey(publicKey)!, until } : denied;
}
