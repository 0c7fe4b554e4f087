/** Headers of requests and answers. */
import { idempotencyKeyLimits } from '../../engine/access/index.ts';
import { currentVersion, deprecatedVersion } from '../middleware/versions.ts';
import { schemaRef, type JsonSchema } from './json-schema.ts';

export interface Header {
  readonly description: string;
  /** Absent: the header is optional. */
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
    description:
      'Your id if it has 1–128 characters of `A–Z a–z 0–9 . _ -`, else an id of ours. Quote it when you contact us.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'RateLimit-Limit': {
    description: 'Requests per minute of this key; of your address for a call without a key.',
    schema: count,
  },
  'RateLimit-Remaining': { description: 'Remaining requests in this minute.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the next minute begins.', schema: seconds },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: seconds },
  'X-Payment-Request-Id': { description: 'The payment request that the answer is about.', schema: id },
  Location: { description: 'The address of that payment request.', schema: address },
} satisfies Record<string, Header>;

const sometimes = {
  'Idempotent-Replayed': {
    description: 'The call was processed before; this is the same answer again.',
    schema: { type: 'string', const: 'true' },
  },
  Deprecation: {
    description: `Version ${deprecatedVersion.version} was requested: the time of its deprecation (RFC 9745).`,
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: { description: 'The end of support of that version (RFC 8594).', schema: word },
  Warning: { description: `Asks you to use ${currentVersion}.`, schema: { type: 'string', pattern: '^299 ' } },
  Link: { description: 'The documentation of versions.', schema: { type: 'string', pattern: 'rel="deprecation"$' } },
  'X-Gateway-Warning': {
    description:
      'Something was accepted that looks like a mistake: the member and the reason, one header per warning, at most 5.',
    schema: word,
  },
  'X-Signature-Valid': {
    description: 'Whether the signature is valid. Only if a key identified the owner and a signature was sent.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
} satisfies Record<string, Header>;

/** The address that a browser is redirected to. */
const onward = {
  description: 'The address that the browser is redirected to.',
  required: true,
  schema: address,
} satisfies Header;

/** `Name-if-known` is the header `Name` where it may be absent. */
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

/** References to the headers of an answer. */
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

export const versionSchema: JsonSchema = {
  type: 'string',
  enum: [currentVersion, deprecatedVersion.version],
  default: currentVersion,
};

/** Headers that a merchant may send with a request. */
export const requestHeaders = {
  requestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Returned in the answer and written to the log. An id in another format is replaced.',
    schema: word,
    example: 'order-4711-try-1',
  },
  version: {
    name: 'X-API-Version',
    in: 'header',
    description: `The version of the API. The support of ${deprecatedVersion.version} has ended.`,
    schema: schemaRef('ApiVersion'),
  },
} as const;

/** Makes a call that writes safe to retry. Each operation adds its own example. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes retries safe: the same request with the same key within ' +
    `${idempotencyKeyLimits.keepHours} hours gets the same answer and is not processed again.`,
  schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLimits.maxLength },
} as const;
