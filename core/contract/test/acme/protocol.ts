/** Acme, a provider invented for the kit's own tests: JSON both ways, a seal over the raw bytes of a callback. */
import { baseUrl, hmac, jsonDigits, secret, v } from '../../index.ts';

export const Options = v.strictObject({
  baseUrl,
  sandboxBaseUrl: baseUrl,
  /** Acme's second address, for a shop that must log in first. */
  loginBaseUrl: v.optional(baseUrl),
  shop: v.pipe(v.string(), v.regex(/^[a-z0-9-]{3,20}$/, '3 to 20 small letters, digits, dashes')),
  apiKey: secret(16),
  sealKeys: v.pipe(v.array(secret(8)), v.minLength(1, 'one to three keys'), v.maxLength(3, 'one to three keys')),
});
export type Options = v.InferOutput<typeof Options>;

const Currency = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/));

export const Answer = v.looseObject({
  id: v.string(),
  ref: v.string(),
  state: v.string(),
  minor: jsonDigits(15),
  cur: Currency,
});

export const Notice = v.looseObject({
  notice: v.string(),
  shop: v.string(),
  ref: v.string(),
  id: v.string(),
  state: v.string(),
  minor: jsonDigits(15),
  cur: Currency,
});
export type Notice = v.InferOutput<typeof Notice>;

/** `t=<seconds>,s=<hex>`. The seal is an HMAC over `<t>.` and the body. */
export function sealHeader(key: string, seconds: string, body: Uint8Array): string {
  return `t=${seconds},s=${hmac('sha256', key, `${seconds}.`, body).toString('hex')}`;
}
