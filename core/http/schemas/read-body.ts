/** From the bytes of a merchant's request to a JSON object. */
import { JsonError, readJsonText, toPlain, utf8 } from '@gateway/contract';
import { invalidField, invalidFields } from '../../errors.ts';
import type { Ctx } from '../state.ts';

export type Body = Readonly<Record<string, unknown>>;

/** The members of the body; numbers are `JsonNumber`. VAL002 `body`, `Content-Type` or `Content-Encoding`. */
export function readBody(ctx: Ctx): Body {
  const body = readOptionalBody(ctx);
  if (!body) throw invalidField('body', null, 'must be a JSON object, and is empty');
  return body;
}

/** As `readBody`; undefined where no body was sent. */
export function readOptionalBody({ state }: Ctx): Body | undefined {
  if (state.bodyProblem) throw invalidFields([state.bodyProblem]);
  if (!state.bytes || state.bytes.length === 0) return undefined;
  const value = parseJson(state.bytes);
  if (!isBody(value)) throw invalidField('body', value === null ? null : kindOf(value), 'must be a JSON object');
  return value;
}

/** The body for a fingerprint: as parsed, or as it came where it cannot be. */
export function fingerprintedBody({ state }: Ctx): unknown {
  try {
    return state.bytes?.length ? parseJson(state.bytes) : undefined;
  } catch {
    return Buffer.from(state.bytes ?? []).toString('base64'); // The form is judged later, and refuses it.
  }
}

/** Strict JSON as plain data; a byte order mark is taken off, as RFC 8259 allows. VAL002 `body`. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = utf8(bytes);
  if (text === undefined) throw invalidField('body', null, 'is not UTF-8');
  try {
    return toPlain(readJsonText(text.replace(/^\uFEFF/, '')));
  } catch (error) {
    if (error instanceof JsonError) throw invalidField('body', null, error.message);
    throw error;
  }
}

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

/** A body that is no object is not repeated: nobody knows what it holds. */
function kindOf(value: unknown): string {
  return Array.isArray(value) ? '[array]' : typeof value === 'object' ? '[number]' : `[${typeof value}]`;
}
