/** The box that carries the content of every body: JSON, encrypted and bound to the merchant and a reference. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { readAs, readBase64, readJsonObject, v } from '@paywright/contract';
import type { Options } from './options.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `n` is the nonce, `ct` the ciphertext and its tag, both base64. */
const Box = v.object({ alg: v.literal('A256GCM'), n: v.string(), aad: v.string(), ct: v.string() });

/** The values to which a box is bound. `ref` is the member next to it. */
export function aadOf({ merchantId }: Options, ref: string): string {
  return `${merchantId}:${ref}`;
}

/** The box keys as bytes, the current one first. */
export function boxKeysOf({ boxKeys }: Options): Buffer[] {
  return boxKeys.map((key) => Buffer.from(key, 'base64'));
}

/** Encrypts a box with the current key. */
export function closeBox(options: Options, ref: string, nonce: Uint8Array, plaintext: string) {
  const aad = aadOf(options, ref);
  const cipher = createCipheriv(CIPHER, boxKeysOf(options)[0]!, nonce).setAAD(Buffer.from(aad));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { alg: 'A256GCM', n: Buffer.from(nonce).toString('base64'), aad, ct: ciphertext.toString('base64') };
}

/** A decrypted box, and the index of the key that decrypted it. */
export interface Opened {
  readonly message: Readonly<Record<string, unknown>>;
  readonly key: number;
}

/** Decrypts a box with any of our keys. Undefined if none of them fits, or if the content is not a JSON object. */
export function openBox(options: Options, box: unknown): Opened | undefined {
  const read = readAs(Box, box);
  const nonce = read && readBase64(read.n);
  const ciphertext = read && readBase64(read.ct);
  if (nonce?.length !== NONCE_BYTES || !ciphertext || ciphertext.length < TAG_BYTES) return undefined;
  for (const [key, bytes] of boxKeysOf(options).entries()) {
    const plaintext = decrypt(bytes, nonce, Buffer.from(read.aad), ciphertext);
    const message = plaintext && readJsonObject(plaintext);
    if (message) return { message, key };
  }
  return undefined;
}

function decrypt(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, ciphertext: Buffer): Buffer | undefined {
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(aad).setAuthTag(ciphertext.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(ciphertext.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined; // This is how node:crypto reports that the key does not fit.
  }
}

const Bound = v.looseObject({ aad: v.string() });

/** The content of a box that is bound to us and to `ref`; undefined for any other box. */
export function openBound(options: Options, ref: string, box: unknown): Opened['message'] | undefined {
  return readAs(Bound, box)?.aad === aadOf(options, ref) ? openBox(options, box)?.message : undefined;
}
