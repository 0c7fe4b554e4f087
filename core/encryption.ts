/** Encryption of what must be readable again, and keyed hashes of what must only be recognised. Both derive from one key. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { readBase64 } from '@gateway/contract';

export interface Encrypter {
  /** AES-256-GCM under a random nonce: one plain value is encrypted differently every time. Text counts as UTF-8. */
  encrypt(plain: Uint8Array | string): Buffer;
  /** Throws when the bytes were encrypted under another key or were changed since. */
  decrypt(encrypted: Uint8Array): Buffer;
  /** HMAC-SHA256 in lower hex: equal for equal text, and nothing to guess at without the key. */
  fingerprint(text: string): string;
}

const format = 1;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + nonceBytes;

/** Takes 32 random bytes in base64; each use gets a key of its own, derived by HKDF. */
export function createEncrypter(keyBase64: string): Encrypter {
  const master = readBase64(keyBase64);
  if (master?.length !== 32) {
    throw new Error('the encryption key must be 32 bytes in base64: make one with openssl rand -base64 32');
  }
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', master, '', `payment-gateway ${use}`, 32));
  const encryptionKey = derive('encryption');
  const fingerprintKey = derive('fingerprint');

  return {
    // The layout is format, nonce, ciphertext, tag.
    encrypt(plain) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce);
      const body = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain);
      return Buffer.concat([Buffer.of(format), nonce, body, cipher.final(), cipher.getAuthTag()]);
    },

    decrypt(encrypted) {
      try {
        if (encrypted[0] !== format || encrypted.length < headBytes + tagBytes) throw new RangeError('unknown layout');
        const tagAt = encrypted.length - tagBytes;
        const decipher = createDecipheriv('aes-256-gcm', encryptionKey, encrypted.subarray(1, headBytes), {
          authTagLength: tagBytes,
        });
        decipher.setAuthTag(encrypted.subarray(tagAt));
        return Buffer.concat([decipher.update(encrypted.subarray(headBytes, tagAt)), decipher.final()]);
      } catch (cause) {
        throw new Error('the data cannot be decrypted: it was changed, or encrypted under another encryption key', {
          cause,
        });
      }
    },

    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest('hex'),
  };
}
