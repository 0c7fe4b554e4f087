/**
 * Verifies a notification by its Standard Webhooks headers. Protocol:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { readExact } from './exact-json.ts';
import type { WebhookNotification } from './generated/types.ts';

/** Headers in the form of `fetch` or Node.js; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The maximum distance of `webhook-timestamp` from now, in seconds: 300 by default. */
  readonly toleranceSeconds?: number;
  readonly now?: Date;
}

/** The message is not from the gateway, or is a repetition of an old one. Answer 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: 'missing_headers' | 'stale' | 'invalid_signature';

  constructor(reason: WebhookVerificationError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Returns the notification, with its amounts as decimal text. The same notification may arrive twice: process each `id`
 * once.
 *
 * @param rawBody The bytes as received, or their text, before any parser.
 * @param secret `whsec_…`; during a rotation several secrets, in any order.
 * @throws {WebhookVerificationError} The notification is not genuine, or is too old.
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
      // `crypto.subtle.verify` compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return readNotification(body);
    }
  }
  throw new WebhookVerificationError('invalid_signature', 'no signature matches this secret and these bytes');
}

/** The signed text is the gateway's, and follows its document. */
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
  if (!bytes?.length)
    throw new TypeError('a webhook secret is whsec_ followed by base64: use the secret that the operator gave you');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
