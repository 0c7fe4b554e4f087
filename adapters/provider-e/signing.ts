/** Host-to-host tokens: JWS in compact form (RFC 7515), HS256 only. */
import {
  hmac,
  isFresh,
  readAs,
  readBase64Url,
  readJsonObject,
  stringifyExact,
  v,
  verifyWithAny,
  type HttpReply,
} from '@paywright/contract';
import type { Options } from './options.ts';

export type H2hKey = Options['h2hKeys'][number];

const TOLERANCE_MS = 600_000;

/** Claims of every token in addition to its own. */
export interface Claims {
  readonly acct: string;
  /** Seconds since 1970. */
  readonly iat: number;
}

export type TokenRead<T> =
  | { readonly verdict: 'genuine'; readonly claims: T; readonly key: H2hKey }
  /** `unreadable`: the MAC is valid, but the claims do not have the required form. */
  | { readonly verdict: 'malformed' | 'invalid_signature' | 'unreadable' | 'stale'; readonly reason: string };

/** The MAC over the first two parts in their encoded form. */
export function macOf({ secret }: H2hKey, signed: string): Buffer {
  return hmac('sha256', Buffer.from(secret, 'base64'), signed);
}

/** Builds a body `{"token"}`. Claims keep their order; a `JsonNumber` keeps its digits. */
export function writeToken(key: H2hKey, claims: unknown): string {
  const header = JSON.stringify({ alg: 'HS256', kid: key.kid, typ: 'JWT' });
  const signed = [header, stringifyExact(claims)].map((part) => Buffer.from(part).toString('base64url')).join('.');
  return JSON.stringify({ token: `${signed}.${macOf(key, signed).toString('base64url')}` });
}

/** Reads a body `{"token"}`. Checks its form, its MAC, its claims, their account and their time, in this order. */
export function readToken<T extends Claims>(
  body: HttpReply['body'],
  schema: v.GenericSchema<unknown, T>,
  { account, h2hKeys }: Options,
  now: Date,
): TokenRead<T> {
  const token = readJsonObject(body)?.['token'];
  const parts = typeof token === 'string' ? /^([\w-]*)\.([\w-]*)\.([\w-]*)$/.exec(token) : null;
  const [, head = '', payload = '', mac = ''] = parts ?? [];
  const header = readPart(head);
  if (!header) return { verdict: 'malformed', reason: 'the body has no token of three parts with a header' };

  const key = provingKey(header, `${head}.${payload}`, mac, h2hKeys);
  if (!key) return { verdict: 'invalid_signature', reason: 'the token was not signed with one of our keys' };

  const claims = readAs(schema, readPart(payload));
  if (!claims) return { verdict: 'unreadable', reason: 'claims are missing or of another type' };
  if (claims.acct !== account) return { verdict: 'invalid_signature', reason: 'another account' };
  if (!isFresh(claims.iat * 1000, now, TOLERANCE_MS)) return { verdict: 'stale', reason: 'iat' };
  return { verdict: 'genuine', claims, key };
}

/** The account in the claims of a token, which is not verified. */
export function namedInToken(body: Uint8Array): string | undefined {
  const token = readJsonObject(body)?.['token'];
  const [, payload = ''] = typeof token === 'string' ? token.split('.', 2) : [];
  const acct = readPart(payload)?.['acct'];
  return typeof acct === 'string' ? acct : undefined;
}

/** A part that is a JSON object. */
function readPart(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = readBase64Url(part);
  return bytes && readJsonObject(bytes, { maxValues: 1000 });
}

function provingKey(
  header: Readonly<Record<string, unknown>>,
  signed: string,
  mac: string,
  keys: readonly H2hKey[],
): H2hKey | undefined {
  // Refuses headers that demand a critical extension or an unencoded payload.
  if (header['alg'] !== 'HS256' || 'crit' in header || 'b64' in header) return undefined;
  const named = keys.filter(({ kid }) => kid === header['kid']);
  const index = verifyWithAny(named, readBase64Url(mac), (key) => macOf(key, signed));
  return index === undefined ? undefined : named[index];
}
