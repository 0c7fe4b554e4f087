/**
 * The headers that sign a notification: our own HMAC-SHA512, and Standard Webhooks beside it.
 * Protocol: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { hmac, readBase64 } from '@paywright/contract';

const prefix = 'whsec_';

/** An owner's webhook secrets, each `whsec_` and base64. `previous` is there as long as it is still valid. */
export interface WebhookSecrets {
  readonly current: string;
  readonly previous?: string;
}

export interface Signable {
  /** The same on every attempt, so that a receiver recognises a repetition. */
  readonly id: string;
  /** The bytes that are sent. */
  readonly body: Uint8Array;
  /** When this attempt is made. */
  readonly at: Date;
}

/** Lower hex of the HMAC-SHA512 over the raw body; the key is the secret's text as it is, `whsec_` included. */
export function bodySignature(secret: string, body: Uint8Array): string {
  return hmac('sha512', secret, body).toString('hex');
}

/** The signature headers of one attempt, under every valid secret. Throws where a secret is not of its form. */
export function signatureHeaders({ id, body, at }: Signable, secrets: WebhookSecrets): Record<string, string> {
  const { current, previous } = secrets;
  const timestamp = `${Math.floor(at.getTime() / 1000)}`;
  const standard = (previous === undefined ? [current] : [current, previous]).map((secret) => {
    const mac = hmac('sha256', keyOf(secret), `${id}.${timestamp}.`, body);
    return `v1,${mac.toString('base64')}`;
  });
  return {
    'X-Webhook-Signature': bodySignature(current, body),
    ...(previous === undefined ? {} : { 'X-Webhook-Signature-Previous': bodySignature(previous, body) }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  };
}

function keyOf(secret: string): Buffer {
  const key = secret.startsWith(prefix) ? readBase64(secret.slice(prefix.length)) : undefined;
  if (!key) throw new TypeError('a webhook secret must be whsec_ and base64: make the owner a new one');
  return key;
}
