/** Reads the JSON object in the bytes of a merchant's request. */
import { JsonError, readJsonText, toPlain, utf8 } from '@paywright/contract';
import { invalidField } from '../../base/errors.ts';
import { isCompressed } from './read-raw.ts';
import type { Ctx } from '../state.ts';

export type Body = Readonly<Record<string, unknown>>;

/** Maximum number of JSON values in a merchant's body. */
export const merchantJsonValues = 10_000;

const jsonTypes = ['application/json', 'application/json-patch+json'];

/**
 * The members of the body; numbers are `JsonNumber`. Throws VAL002 for `body`, `Content-Type` or `Content-Encoding`.
 */
export function readBody(ctx: Ctx): Body {
  const body = readOptionalBody(ctx);
  if (!body) throw invalidField('body', null, 'must be a JSON object, and is empty');
  return body;
}

/** As `readBody`. Undefined if the request has no body. */
export function readOptionalBody(ctx: Ctx): Body | undefined {
  if (!ctx.state.bytes?.length) return undefined;
  checkHeaders(ctx);
  const value = parsedBody(ctx);
  if (!isBody(value)) throw invalidField('body', value === null ? null : kindOf(value), 'must be a JSON object');
  return value;
}

/** The body for a fingerprint: parsed, or as base64 of its bytes if it cannot be parsed. */
export function fingerprintedBody(ctx: Ctx): unknown {
  const { bytes } = ctx.state;
  if (!bytes?.length) return undefined;
  try {
    return parsedBody(ctx);
  } catch {
    return Buffer.from(bytes).toString('base64'); // The form is checked later, and this body is refused there.
  }
}

/** Parses the body once, although a request with an idempotency key needs it twice. */
function parsedBody({ state }: Ctx): unknown {
  const { bytes = new Uint8Array(), maxJsonValues = merchantJsonValues } = state;
  state.parsed ??= { value: parseJson(bytes, maxJsonValues) };
  return state.parsed.value;
}

/** True if the value contains more than `max` JSON values, itself included. */
export function hasMoreValues(value: unknown, max: number): boolean {
  let count = 0;
  const walk = (one: unknown): boolean => {
    count += 1;
    if (count > max) return true;
    const held = Array.isArray(one) ? one : isBody(one) ? Object.values(one) : [];
    return held.some(walk);
  };
  return walk(value);
}

function checkHeaders(ctx: Ctx): void {
  if (isCompressed(ctx.req)) {
    const rule = 'must be absent: compressed bodies are not read';
    throw invalidField('Content-Encoding', ctx.get('Content-Encoding'), rule);
  }
  const given = ctx.get('Content-Type');
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  if (!jsonTypes.includes(type)) {
    throw invalidField('Content-Type', given || null, `must be ${jsonTypes.join(' or ')}`);
  }
  const isOtherCharset = (parameter: string) => /^charset=(?!"?utf-?8"?$)/.test(parameter);
  if (parameters.some(isOtherCharset))
    throw invalidField('Content-Type', given, 'must have charset=utf-8 or no charset');
}

/** Parses strict JSON into plain data. A byte order mark is removed, as RFC 8259 allows. Throws VAL002 for `body`. */
export function parseJson(bytes: Uint8Array, maxValues: number): unknown {
  const text = utf8(bytes);
  if (text === undefined) throw invalidField('body', null, 'is not UTF-8');
  try {
    return toPlain(readJsonText(text.replace(/^\uFEFF/, ''), { maxValues }));
  } catch (error) {
    if (error instanceof JsonError) throw invalidField('body', null, error.message);
    throw error;
  }
}

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

/** Only the type of a body that is not an object is repeated: its content may be anything. */
function kindOf(value: unknown): string {
  return Array.isArray(value) ? '[array]' : typeof value === 'object' ? '[number]' : `[${typeof value}]`;
}
