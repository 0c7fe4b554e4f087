/** Encryption of what must be readable again, and keyed hashes of what must only be recognised. One key opens both. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { readBase64 } from '@gateway/contract';

export interface Sealer {
  /** AES-256-GCM under a random nonce: one plain value is sealed differently every time. Text counts as UTF-8. */
  seal(plain: Uint8Array | string): Buffer;
  /** Throws when the bytes were sealed under another key or were changed since. */
  open(sealed: Uint8Array): Buffer;
  /** HMAC-SHA256 in lower hex: equal for equal text, and nothing to guess at without the key. */
  fingerprint(text: string): string;
}

const format = 1;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + nonceBytes;

/** Takes 32 random bytes in base64; each use gets a key of its own, derived by HKDF. */
export function createSealer(keyBase64: string): Sealer {
  const master = readBase64(keyBase64);
  if (master?.length !== 32) {
    throw new Error('the encryption key must be 32 bytes in base64: make one with openssl rand -base64 32');
  }
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', master, '', `payment-gateway ${use}`, 32));
  const sealingKey = derive('sealing');
  const fingerprintKey = derive('fingerprint');

  return {
    // The layout is format, nonce, ciphertext, tag.
    seal(plain) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce);
      const body = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain);
      return Buffer.concat([Buffer.of(format), nonce, body, cipher.final(), cipher.getAuthTag()]);
    },

    open(sealed) {
      try {
        if (sealed[0] !== format || sealed.length < headBytes + tagBytes) throw new RangeError('unknown layout');
        const tagAt = sealed.length - tagBytes;
        const decipher = createDecipheriv('aes-256-gcm', sealingKey, sealed.subarray(1, headBytes), {
          authTagLength: tagBytes,
        });
        decipher.setAuthTag(sealed.subarray(tagAt));
        return Buffer.concat([decipher.update(sealed.subarray(headBytes, tagAt)), decipher.final()]);
      } catch (cause) {
        throw new Error('sealed data cannot be opened: it was changed, or sealed under another encryption key', {
          cause,
        });
      }
    },

    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest('hex'),
  };
}
