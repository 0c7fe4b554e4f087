/**
 * Is a notification genuine? By its Standard Webhooks headers.
 * Protocol: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { readExact } from './exact-json.ts';
import type { WebhookNotification } from './generated/types.ts';

/** As `fetch` and Node.js give them; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be from now: 300 unless given. */
  readonly toleranceSeconds?: number;
  readonly now?: Date;
}

/** What was received is not from the gateway, or is a repetition of something old. Answer 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: 'missing_headers' | 'stale' | 'invalid_signature';

  constructor(reason: WebhookVerificationError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Gives the notification, its amounts as decimal text. The same one may come twice: work on each `id` once.
 *
 * @param rawBody The bytes as received, or their text: before any parser.
 * @param secret `whsec_…`; several around a rotation, in any order.
 * @throws {WebhookVerificationError} It is not genuine, or is too old.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[] | undefined,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookNotification> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!id || !signatures || !/^\d{1,15}$/.test(timestamp)) {
    throw new WebhookVerificationError(
      'missing_headers',
      'webhook-id, webhook-timestamp or webhook-signature is missing',
    );
  }
  if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError('stale', `webhook-timestamp is more than ${toleranceSeconds} s from now`);
  }
  const body = typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const keys = await Promise.all([secret].flat().map(toKey));
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [fromBase64(one.slice(3))] : []));
  for (const key of keys) {
    for (const signature of given) {
      // Compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return readNotification(body);
    }
  }
  throw new WebhookVerificationError('invalid_signature', 'no signature is by this secret, over these bytes');
}

/** What is signed is the gateway's, and of its document. */
function readNotification(body: string): WebhookNotification {
  return readExact(body) as WebhookNotification;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if ('get' in headers && typeof headers.get === 'function') return headers.get(name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : '';
}

async function toKey(secret: string | undefined) {
  const bytes = secret?.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : undefined;
  if (!bytes?.length) throw new TypeError('a webhook secret is whsec_ and base64: set it as the operator gave it');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
