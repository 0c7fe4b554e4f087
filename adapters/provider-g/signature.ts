/** RSA signatures: over a few lines and the raw body, each line closed by LF, told in four headers. */
import { sign, verify, type KeyObject } from 'node:crypto';
import { onlyHeader, readBase64, type RawCallback } from '@gateway/contract';

/** What the headers of a signed message say. */
export interface Signature {
  /** Unix seconds, as sent. */
  readonly time: string;
  readonly nonce: string;
  /** Names the key. */
  readonly serial: string;
  readonly sign: Uint8Array;
}

/** What a request to G is signed over; `path` with its query, and with the base address's own path. */
export function requestText(
  method: string,
  path: string,
  { time, nonce }: Pick<Signature, 'time' | 'nonce'>,
  raw: Uint8Array,
): Uint8Array {
  return textOf([method, path, time, nonce], raw);
}

/** What a message of G is signed over: its 200 replies and its callbacks. */
export function messageText({ time, nonce }: Pick<Signature, 'time' | 'nonce'>, raw: Uint8Array): Uint8Array {
  return textOf([time, nonce], raw);
}

function textOf(lines: readonly string[], raw: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(lines.map((line) => `${line}\n`).join('')), raw, Buffer.from('\n')]);
}

/** The four headers of a message, signed by a private key in PEM. */
export function signedHeaders(
  { serial, privateKey }: { readonly serial: string; readonly privateKey: string },
  { time, nonce }: Pick<Signature, 'time' | 'nonce'>,
  text: Uint8Array,
): Record<'G-Time' | 'G-Nonce' | 'G-Serial' | 'G-Sign', string> {
  // For an RSA key node:crypto signs by PKCS #1 v1.5.
  const signature = sign('sha256', text, privateKey).toString('base64');
  return { 'G-Time': time, 'G-Nonce': nonce, 'G-Serial': serial, 'G-Sign': signature };
}

/** Reads the four headers; undefined where one is missing, repeated or of another form. */
export function readSignature(message: Pick<RawCallback, 'headers'>): Signature | undefined {
  const [time = '', nonce = '', serial = '', given = ''] = ['G-Time', 'G-Nonce', 'G-Serial', 'G-Sign'].map((name) =>
    onlyHeader(message, name),
  );
  const isFormed = /^\d{1,15}$/.test(time) && /^[A-Za-z0-9_-]{8,64}$/.test(nonce) && /^[0-9A-F]{8,40}$/.test(serial);
  const bytes = readBase64(given);
  return isFormed && bytes ? { time, nonce, serial, sign: bytes } : undefined;
}

export function isSignedBy(key: KeyObject, text: Uint8Array, { sign: given }: Signature): boolean {
  return verify('sha256', text, key, given);
}
