/** Encryption of what must be readable again, and keyed hashes of what must only be recognised. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { readBase64 } from '@paywright/contract';

/** Where an encrypted value is kept. It can be decrypted as the value of this member alone. */
export interface Place {
  readonly collection: string;
  readonly id: string | number;
  readonly member: string;
}

export interface Cipher {
  /** Names the key that encrypts; it says nothing about the key itself. */
  readonly keyId: string;
  /** AES-256-GCM under a random nonce: one plain value is encrypted differently every time. Text counts as UTF-8. */
  encrypt(plain: Uint8Array | string, place: Place): Buffer;
  /** Throws where none of the keys encrypted the bytes, they were changed since, or they come from another place. */
  decrypt(encrypted: Uint8Array, place: Place): Buffer;
  /** False: an earlier key encrypted it, and is still needed. */
  isCurrent(encrypted: Uint8Array): boolean;
}

export interface Encrypter extends Cipher {
  /** HMAC-SHA256 in lower hex: equal for equal text, whatever key encrypts, and nothing to guess at without the secret. */
  fingerprint(text: string): string;
}

/** The data was encrypted under a key that is not among those of this process. */
export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
  readonly keyId: string;

  constructor(keyId: string) {
    super(`the data cannot be decrypted: it was encrypted under another encryption key (${keyId})`);
    this.keyId = keyId;
  }
}

const format = 2;
const keyIdBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const nonceAt = 1 + keyIdBytes;
const headBytes = nonceAt + nonceBytes;

/** Takes keys of 32 random bytes in base64: the first encrypts, all decrypt. */
export function createCipher(keys: readonly string[]): Cipher {
  const [first, ...others] = keys.map(readKey);
  if (!first) throw new Error('no encryption key');
  const byId = new Map([first, ...others].map((key) => [key.id.toString('hex'), key.secret]));

  return {
    keyId: first.id.toString('hex'),

    // The layout is format, key id, nonce, ciphertext, tag.
    encrypt(plain, place) {
      const nonce = randomBytes(nonceBytes);
      const head = Buffer.concat([Buffer.of(format), first.id, nonce]);
      const cipher = createCipheriv('aes-256-gcm', first.secret, nonce).setAAD(boundTo(head, place));
      const body = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain);
      return Buffer.concat([head, body, cipher.final(), cipher.getAuthTag()]);
    },

    decrypt(encrypted, place) {
      const head = encrypted.subarray(0, headBytes);
      const secret = byId.get(keyIdOf(head));
      if (head[0] === format && head.length === headBytes && !secret) throw new UnknownKeyError(keyIdOf(head));
      try {
        if (!secret || encrypted.length < headBytes + tagBytes) throw new RangeError('unknown layout');
        const tagAt = encrypted.length - tagBytes;
        const nonce = head.subarray(nonceAt);
        const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: tagBytes });
        decipher.setAAD(boundTo(head, place)).setAuthTag(encrypted.subarray(tagAt));
        return Buffer.concat([decipher.update(encrypted.subarray(headBytes, tagAt)), decipher.final()]);
      } catch (cause) {
        throw new Error('the data cannot be decrypted: it was changed, or moved from another place', { cause });
      }
    },

    isCurrent: (encrypted) => first.id.equals(encrypted.subarray(1, nonceAt)),
  };
}

/** Fingerprints are made with a secret of their own, so that they outlive every key. */
export function createEncrypter(cipher: Cipher, fingerprintSecret: Uint8Array): Encrypter {
  return {
    ...cipher,
    fingerprint: (text) => createHmac('sha256', fingerprintSecret).update(text).digest('hex'),
  };
}

/** Each use of a key gets bytes of its own, derived by HKDF. */
function readKey(keyBase64: string): { readonly id: Buffer; readonly secret: Buffer } {
  const master = readBase64(keyBase64);
  if (master?.length !== 32) {
    throw new Error('an encryption key must be 32 bytes in base64: make one with openssl rand -base64 32');
  }
  const derive = (use: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', master, '', `payment-gateway ${use}`, bytes));
  return { id: derive('key id', keyIdBytes), secret: derive('encryption', 32) };
}

function keyIdOf(head: Uint8Array): string {
  return Buffer.from(head.subarray(1, nonceAt)).toString('hex');
}

function boundTo(head: Uint8Array, { collection, id, member }: Place): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify([collection, id, member]))]);
}
