/** The box that every body carries its content in: JSON, encrypted and bound to the merchant and a reference. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { readAs, readBase64, readJsonObject, v } from '@gateway/contract';
import type { Options } from './options.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Box {
  readonly alg: 'A256GCM';
  /** Base64 of the nonce. */
  readonly n: string;
  readonly aad: string;
  /** Base64 of the ciphertext and its tag. */
  readonly ct: string;
}

/** An opened box, and the key that opened it. */
export interface Opened {
  readonly message: Readonly<Record<string, unknown>>;
  readonly key: Uint8Array;
}

/** What a box is bound to; `ref` is the member beside it. */
export function aadOf({ merchantId }: Options, ref: string): string {
  return `${merchantId}:${ref}`;
}

/** Closes a box with the current key. */
export function closeBox(options: Options, ref: string, nonce: Uint8Array, plaintext: string): Box {
  const aad = aadOf(options, ref);
  const cipher = createCipheriv(CIPHER, keysOf(options)[0]!, nonce).setAAD(Buffer.from(aad));
  const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { alg: 'A256GCM', n: Buffer.from(nonce).toString('base64'), aad, ct: sealed.toString('base64') };
}

const BoxForm = v.object({ alg: v.literal('A256GCM'), n: v.string(), aad: v.string(), ct: v.string() });

/** Opens a box with whichever of our keys fits; undefined where none does, or it does not hold a JSON object. */
export function openBox(options: Options, box: unknown): Opened | undefined {
  const read = readAs(BoxForm, box);
  const nonce = read && readBase64(read.n);
  const sealed = read && readBase64(read.ct);
  if (nonce?.length !== NONCE_BYTES || !sealed || sealed.length < TAG_BYTES) return undefined;
  for (const key of keysOf(options)) {
    const plaintext = decrypt(key, nonce, Buffer.from(read.aad), sealed);
    const message = plaintext && readJsonObject(plaintext);
    if (message) return { message, key };
  }
  return undefined;
}

function decrypt(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, sealed: Buffer): Buffer | undefined {
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(aad).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined; // node:crypto's only way to say that the key does not fit.
  }
}

function keysOf({ boxKeys }: Options): Buffer[] {
  return boxKeys.map((key) => Buffer.from(key, 'base64'));
}
