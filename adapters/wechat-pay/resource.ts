/** The encrypted part of a message: AES-256-GCM under the APIv3 key, with the tag after the ciphertext. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { readAs, readBase64, readJsonObject, v } from '@paywright/contract';
import type { Options } from './options.ts';

const CIPHER = 'aes-256-gcm';
const ALGORITHM = 'AEAD_AES_256_GCM';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const Resource = v.object({
  algorithm: v.literal(ALGORITHM),
  ciphertext: v.string(),
  associated_data: v.nullish(v.string(), ''),
  nonce: v.string(),
});

/** Encrypts under an APIv3 key. `nonce` has 12 characters. */
export function closeResource(key: string, plaintext: string, nonce: string, associated_data: string) {
  const cipher = createCipheriv(CIPHER, Buffer.from(key), Buffer.from(nonce)).setAAD(Buffer.from(associated_data));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { algorithm: ALGORITHM, ciphertext: ciphertext.toString('base64'), associated_data, nonce };
}

/** Decrypts with the first APIv3 key that fits; undefined if none fits, or if the resource has another form. */
export function openResource({ apiV3Keys }: Pick<Options, 'apiV3Keys'>, given: unknown): Buffer | undefined {
  const resource = readAs(Resource, given);
  const nonce = Buffer.from(resource?.nonce ?? '');
  const ciphertext = resource && readBase64(resource.ciphertext);
  if (!resource || nonce.length !== NONCE_BYTES || !ciphertext || ciphertext.length < TAG_BYTES) return undefined;
  for (const key of apiV3Keys) {
    const plaintext = decrypt(Buffer.from(key), nonce, Buffer.from(resource.associated_data ?? ''), ciphertext);
    if (plaintext) return plaintext;
  }
  return undefined;
}

/** The encrypted JSON object. */
export function openObject(options: Options, given: unknown): Readonly<Record<string, unknown>> | undefined {
  const plaintext = openResource(options, given);
  return plaintext && readJsonObject(plaintext);
}

function decrypt(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, ciphertext: Buffer): Buffer | undefined {
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(aad).setAuthTag(ciphertext.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(ciphertext.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined; // Node throws if the key does not fit.
  }
}
