/** Encryption of values that must be readable again, and keyed hashes of values that must only be recognised. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { readBase64 } from '@paywright/contract';

/** Where an encrypted value is stored. The value can only be decrypted as the value of this member of this document. */
export interface EncryptionContext {
  readonly collection: string;
  readonly id: string | number;
  readonly member: string;
}

export interface Cipher {
  /** The id of the key that encrypts. It reveals nothing about the key. */
  readonly keyId: string;
  /**
   * Uses AES-256-GCM with a random nonce, so the same value encrypts differently each time. Text is encoded as UTF-8.
   */
  encrypt(plain: Uint8Array | string, context: EncryptionContext): Buffer;
  /** Throws if none of the keys encrypted the bytes, if they were changed, or if they belong to another context. */
  decrypt(encrypted: Uint8Array, context: EncryptionContext): Buffer;
  /** False if an earlier key encrypted the value: that key is still needed. */
  isCurrent(encrypted: Uint8Array): boolean;
}

export interface Encrypter extends Cipher {
  /**
   * HMAC-SHA256 in lower-case hex: equal for equal text, independent of the encryption key, and unguessable without the
   * secret.
   */
  fingerprint(text: string): string;
}

/** The data was encrypted with a key that this process does not have. */
export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
  readonly keyId: string;

  constructor(keyId: string) {
    super(`the data cannot be decrypted: it was encrypted with another encryption key (${keyId})`);
    this.keyId = keyId;
  }
}

const format = 2;
const keyIdBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const nonceAt = 1 + keyIdBytes;
const headBytes = nonceAt + nonceBytes;

/** Accepts keys of 32 random bytes in base64. The first key encrypts; all keys decrypt. */
export function createCipher(keys: readonly string[]): Cipher {
  const [first, ...others] = keys.map(readKey);
  if (!first) throw new Error('no encryption key');
  const byId = new Map([first, ...others].map((key) => [key.id.toString('hex'), key.secret]));

  return {
    keyId: first.id.toString('hex'),

    // Layout: format, key id, nonce, ciphertext, tag.
    encrypt(plain, context) {
      const nonce = randomBytes(nonceBytes);
      const head = Buffer.concat([Buffer.of(format), first.id, nonce]);
      const cipher = createCipheriv('aes-256-gcm', first.secret, nonce).setAAD(boundTo(head, context));
      const body = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain);
      return Buffer.concat([head, body, cipher.final(), cipher.getAuthTag()]);
    },

    decrypt(encrypted, context) {
      const head = encrypted.subarray(0, headBytes);
      const secret = byId.get(keyIdOf(head));
      if (head[0] === format && head.length === headBytes && !secret) throw new UnknownKeyError(keyIdOf(head));
      try {
        if (!secret || encrypted.length < headBytes + tagBytes) throw new RangeError('unknown layout');
        const tagAt = encrypted.length - tagBytes;
        const nonce = head.subarray(nonceAt);
        const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: tagBytes });
        decipher.setAAD(boundTo(head, context)).setAuthTag(encrypted.subarray(tagAt));
        return Buffer.concat([decipher.update(encrypted.subarray(headBytes, tagAt)), decipher.final()]);
      } catch (cause) {
        throw new Error(
          'the data cannot be decrypted: it was changed, or it was encrypted for another document or member',
          { cause },
        );
      }
    },

    isCurrent: (encrypted) => first.id.equals(encrypted.subarray(1, nonceAt)),
  };
}

/** Fingerprints use their own secret, so that they stay valid when encryption keys are rotated. */
export function createEncrypter(cipher: Cipher, fingerprintSecret: Uint8Array): Encrypter {
  return {
    ...cipher,
    fingerprint: (text) => createHmac('sha256', fingerprintSecret).update(text).digest('hex'),
  };
}

/** Derives separate bytes for each use of a key with HKDF. */
function readKey(keyBase64: string): { readonly id: Buffer; readonly secret: Buffer } {
  const master = readBase64(keyBase64);
  if (master?.length !== 32) {
    throw new Error('an encryption key must be 32 bytes in base64: create one with openssl rand -base64 32');
  }
  const derive = (use: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', master, '', `payment-gateway ${use}`, bytes));
  return { id: derive('key id', keyIdBytes), secret: derive('encryption', 32) };
}

function keyIdOf(head: Uint8Array): string {
  return Buffer.from(head.subarray(1, nonceAt)).toString('hex');
}

function boundTo(head: Uint8Array, { collection, id, member }: EncryptionContext): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify([collection, id, member]))]);
}
