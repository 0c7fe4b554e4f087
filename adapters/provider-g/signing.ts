/** Who signed: RSA over a few lines and the raw body, named in four headers, under a key that a serial names. */
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
/** How long a serial that has no key is remembered, so that forged messages do not make us ask again and again. */
const DENIED_MS = 60_000;

/** What the headers of a signed message say. */
export interface Signature {
  /** Unix seconds, as sent. */
  readonly time: string;
  readonly nonce: string;
  /** Names the key. */
  readonly serial: string;
  readonly sign: Uint8Array;
}

/**
 * What is signed: of a message of G its time and nonce, of a request of ours method and target (path with its query, and
 * with the base address's own path) before them; then the raw body. LF closes each.
 */
export function signedText(lines: readonly string[], raw: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(lines.map((line) => `${line}\n`).join('')), raw, Buffer.from('\n')]);
}

/** The four headers of a message, signed by a private key (PEM, or read from it). */
export function signedHeaders(
  { serial, privateKey }: { readonly serial: string; readonly privateKey: KeyLike },
  { time, nonce }: Pick<Signature, 'time' | 'nonce'>,
  text: Uint8Array,
): Record<'G-Time' | 'G-Nonce' | 'G-Serial' | 'G-Sign', string> {
  // For an RSA key node:crypto signs by PKCS #1 v1.5.
  const signature = sign('sha256', text, privateKey).toString('base64');
  return { 'G-Time': time, 'G-Nonce': nonce, 'G-Serial': serial, 'G-Sign': signature };
}

/** A request of ours, `path` with its query: a POST where it has a body, whose box shares the nonce. */
export function signedRequest(path: string, ctx: Context, random = ctx.random(12), body?: string): HttpRequest {
  const { options, baseUrl, now } = ctx;
  const method = body === undefined ? 'GET' : 'POST';
  const [time, nonce] = [String(Math.floor(now().getTime() / 1000)), Buffer.from(random).toString('hex')];
  const text = signedText([method, requestTarget(baseUrl, path), time, nonce], Buffer.from(body ?? ''));
  const headers = { 'G-Mid': options.merchantId, ...signedHeaders(options.merchantKey, { time, nonce }, text) };
  if (body === undefined) return { method, path, headers };
  return { method, path, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

/** Reads the four headers; undefined where one is missing, repeated or of another form. */
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

/** Verifies a callback, or a 200 reply: who sent these bytes, and that it was now. What they hold is another question. */
export async function proveMessage(
  message: Pick<RawCallback, 'headers' | 'body'>,
  ctx: Context,
): Promise<{ readonly signature: Signature } | { readonly refused: Verdict<never> }> {
  const signature = readSignature(message);
  if (!signature) return { refused: invalidSignature('a signature header is missing, repeated or of another form') };
  const key = await findKey(signature.serial, ctx);
  if (key === 'unavailable') return { refused: tryLater('the key of the signature could not be had') };
  if (key === 'denied') return { refused: invalidSignature('no key of G has the serial of the signature') };
  const { time, nonce } = signature;
  if (!isSignedBy(key, signedText([time, nonce], message.body), signature))
    return { refused: invalidSignature('G-Sign') };
  if (!isFresh(Number(time) * 1000, ctx.now(), TOLERANCE_MS)) return { refused: stale('G-Time') };
  return { signature };
}

/**
 * The key of a serial: of the options, or asked of G and remembered. `denied`: no key of G's has this serial now;
 * `unavailable`: that cannot be known at this moment. Never rejects: a request may have gone out before.
 */
export async function findKey(serial: string, ctx: Context): Promise<KeyObject | 'denied' | 'unavailable'> {
  const { options, baseUrl, cache } = ctx;
  const known = options.providerKeys.find((key) => key.serial === serial);
  if (known) return readPublicKey(known.publicKey)!;
  try {
    // By address: a key that the sandbox gives must verify nothing that is live.
    return await cache.remember(`key ${baseUrl} ${options.merchantId} ${serial}`, () => learnKey(serial, ctx));
  } catch {
    return 'unavailable'; // No readable answer, or core allows no further question: the message may be sent again.
  }
}

const Time = v.pipe(v.string(), v.transform(readRfc3339), v.date());
const KeyAnswer = v.object({ mid: v.string(), serial: v.string(), publicKey: PublicKey, from: Time, until: Time });

/**
 * Fetches it once; rejects where it gives no readable answer. The answer is verified by its box, whatever signs it. A key counts
 * where it is the one that was asked for, long enough, and valid now.
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
