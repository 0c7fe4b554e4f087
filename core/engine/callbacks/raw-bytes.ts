/** Converts a callback as it arrived to and from the bytes that are encrypted and stored. */
import type { RawCallback } from '@paywright/contract';

interface Kept extends Omit<RawCallback, 'body' | 'receivedAt'> {
  readonly body: string;
  readonly receivedAt: string;
}

export function toBytes(raw: RawCallback): string {
  const kept: Kept = {
    ...raw,
    body: Buffer.from(raw.body).toString('base64'),
    receivedAt: raw.receivedAt.toISOString(),
  };
  return JSON.stringify(kept);
}

/** Reads what `toBytes` wrote, after decryption. */
export function fromBytes(bytes: Uint8Array): RawCallback {
  const kept = JSON.parse(Buffer.from(bytes).toString('utf8')) as Kept;
  return { ...kept, body: Buffer.from(kept.body, 'base64'), receivedAt: new Date(kept.receivedAt) };
}
