/**
 * The headers that sign a notification: our own HMAC-SHA512, and Standard Webhooks in addition.
 * Protocol: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { hmac, readBase64 } from '@paywright/contract';

const prefix = 'whsec_';

/** An owner's webhook secrets, each `whsec_` and base64. `previous` is set while it is still valid. */
export interface WebhookSecrets {
  readonly current: string;
  readonly previous?: string;
}

export interface Signable {
  /** The same on every attempt, so that a receiver can detect a repetition. */
  readonly id: string;
  /** The bytes that are sent. */
  readonly body: Uint8Array;
  /** The time of this attempt. */
  readonly at: Date;
}

/** Lower-case hex of the HMAC-SHA512 over the raw body. The key is the text of the secret, including `whsec_`. */
export function bodySignature(secret: string, body: Uint8Array): string {
  return hmac('sha512', secret, body).toString('hex');
}

/** Returns the signature headers of one attempt, with every valid secret. Throws if a secret has an invalid format. */
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
  if (!key) throw new TypeError('a webhook secret must be whsec_ and base64: rotate the secret of this owner');
  return key;
}
