/** Headers of requests and answers. */
import { idempotencyKeyLimits } from '../../engine/access/index.ts';
import { currentVersion, deprecatedVersion } from '../middleware/versions.ts';
import type { JsonSchema } from './json-schema.ts';

export interface Header {
  readonly description: string;
  /** Absent: it may be there or not. */
  readonly required?: true;
  readonly schema: JsonSchema;
}

const count: JsonSchema = { type: 'integer', minimum: 0 };
const seconds: JsonSchema = { type: 'integer', minimum: 1 };
const id: JsonSchema = { type: 'integer', format: 'int64', minimum: 1 };
const address: JsonSchema = { type: 'string', format: 'uri-reference' };
const word: JsonSchema = { type: 'string' };

const always = {
  'X-Request-Id': {
    description: 'Yours when it is 1–128 characters of `A–Z a–z 0–9 . _ -`, else one of ours. Name it when you ask us.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'RateLimit-Limit': { description: 'Requests a minute of this key.', schema: count },
  'RateLimit-Remaining': { description: 'How many of them are left.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the next minute begins.', schema: seconds },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: seconds },
  'X-Payment-Request-Id': { description: 'The payment request that the answer is about.', schema: id },
  Location: { description: 'Where to read that payment request.', schema: address },
} satisfies Record<string, Header>;

const sometimes = {
  'Idempotent-Replayed': {
    description: 'The call was done before; this is its answer again.',
    schema: { type: 'string', const: 'true' },
  },
  Deprecation: {
    description: `The version ${deprecatedVersion.version} was requested: since when it is deprecated (RFC 9745).`,
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: { description: 'Until when that version was supported (RFC 8594).', schema: word },
  Warning: { description: `Says to use ${currentVersion}.`, schema: { type: 'string', pattern: '^299 ' } },
  Link: { description: 'Where versions are explained.', schema: { type: 'string', pattern: 'rel="deprecation"$' } },
  'X-Gateway-Warning': {
    description: 'What was accepted and surely not meant: the member and why, one header per warning, at most 5.',
    schema: word,
  },
  'X-Signature-Valid': {
    description: 'Whether the signature was right; only where a key named an owner and a signature was sent.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
} satisfies Record<string, Header>;

/** Where a browser is sent on. */
const onward = { description: 'Where the browser goes.', required: true, schema: address } satisfies Header;

/** `Name-if-known` is the header `Name` where it may be missing. */
const ifKnown = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Payment-Request-Id',
  'Location',
] as const;

export type HeaderName =
  keyof typeof always | keyof typeof sometimes | `${(typeof ifKnown)[number]}-if-known` | 'Location-onward';

export const headerComponents: Readonly<Record<string, Header>> = {
  ...Object.fromEntries(Object.entries(always).map(([name, header]) => [name, { ...header, required: true as const }])),
  ...sometimes,
  'Location-onward': onward,
  ...Object.fromEntries(ifKnown.map((name) => [`${name}-if-known`, always[name]])),
};

/** The headers of an answer, by reference. */
export function answerHeaders(names: readonly HeaderName[]): Readonly<Record<string, { readonly $ref: string }>> {
  return Object.fromEntries(
    names.map((name) => [name.replace(/-(if-known|onward)$/, ''), { $ref: `#/components/headers/${name}` }]),
  );
}

export const versionHeaders = ['Deprecation', 'Sunset', 'Warning', 'Link'] as const satisfies HeaderName[];
export const rateHeaders = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
] as const satisfies HeaderName[];
export const rateHeadersIfKnown = [
  'RateLimit-Limit-if-known',
  'RateLimit-Remaining-if-known',
  'RateLimit-Reset-if-known',
] as const satisfies HeaderName[];

/** Headers that a merchant may send with a request. */
export const requestHeaders = {
  requestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Comes back in the answer and is in our log; one of another form is replaced.',
    schema: word,
    example: 'order-4711-try-1',
  },
  version: {
    name: 'X-API-Version',
    in: 'header',
    description: `The version of the interface; ${deprecatedVersion.version} is past its support.`,
    schema: { type: 'string', enum: [currentVersion, deprecatedVersion.version], default: currentVersion },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repetition safe: the same request under the same key, within ' +
      `${idempotencyKeyLimits.keepHours} hours, is answered again and not done again.`,
    schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLimits.maxLength },
  },
} as const;
