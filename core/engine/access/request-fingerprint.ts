/** Decides whether two requests with one `Idempotency-Key` are the same request. */
import { JsonNumber } from '@paywright/contract';
import { invalidField } from '../../base/errors.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';

export interface FingerprintedRequest {
  readonly method: string;
  /** With or without the leading `/v2`. */
  readonly path: string;
  /** The query as sent, without the question mark. */
  readonly query: string;
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
}

const maxDepth = 200;

/**
 * Returns a keyed hash of the method, the path without `/v2`, the query and the body. The order of members and query
 * parameters, and the spelling of a number (`25.90`, `25.9`), make no difference. A `cvv` at any depth is left out: no
 * trace of it may be stored, not even a hash. Throws VAL002 `body` if the body is nested too deeply.
 */
export function requestFingerprint({
  encrypter,
  ...request
}: FingerprintedRequest & { readonly encrypter: Encrypter }): string {
  const path = request.path.replace(/^\/v2(?=\/)/, '');
  const query = [...new URLSearchParams(request.query)].sort(byName);
  const text = JSON.stringify([request.method.toUpperCase(), path, query, toCanonical(request.body, 0)]);
  return encrypter.fingerprint(`request ${text}`);
}

/** The sort is stable, so values of a repeated name keep their order. */
function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Converts an object to a sorted list of pairs inside another list, so that no array can look like an object. */
function toCanonical(value: unknown, depth: number): unknown {
  if (depth > maxDepth) throw invalidField('body', null, `must not nest deeper than ${maxDepth} levels`);
  if (value instanceof JsonNumber) return toNumber(value.text);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => toCanonical(item, depth + 1));
  const members = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  const kept = members.filter(([name, member]) => name !== 'cvv' && member !== undefined).sort(byName);
  return { members: kept.map(([name, member]) => [name, toCanonical(member, depth + 1)]) };
}

/** A double holds 15 significant digits exactly. A longer number keeps its spelling. */
function toNumber(text: string): number | { readonly number: string } {
  const digits = text.split(/e/i, 1)[0]!.replace(/\D/g, '').replace(/^0+/, '');
  const value = Number(text);
  const faithful = digits.length <= 15 && Number.isFinite(value) && (value === 0) === (digits === '');
  return faithful ? value : { number: text };
}
