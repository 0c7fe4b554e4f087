/** Compares a request that an adapter sent with the one that a vector holds. */
import { readPairs } from '../read/form.ts';
import { JsonNumber, readJson } from '../read/json.ts';
import type { HttpReply, HttpRequest } from '../provider.ts';
import { differences, isObject, shown } from './difference.ts';
import type { VectorExchange, VectorReply } from './vector-file.ts';

type Wanted = NonNullable<VectorExchange['request']>;

/**
 * The differences of method, path, the headers that the vector names, and body. A body is right if its bytes are equal.
 * Unless `exact`, it is also right if both are JSON of equal content with numbers spelled alike, or if the vector's
 * body is form encoded and both hold the same pairs in any order. `base` is the address that the path is appended to.
 */
export function compareRequest(wanted: Wanted, sent: HttpRequest, base: string, exact = false): string[] {
  const path = basePath(base) + sent.path;
  const headers = new Map(Object.entries(sent.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const wantedBody = bytesOf(wanted);
  const sentBody = Buffer.from(sent.body ?? '');
  return [
    ...differences('request.method', wanted.method, sent.method),
    ...differences('request.path', wanted.path, path),
    ...wanted.headers.flatMap(([name, value]) =>
      differences(`request.headers[${name}]`, value, headers.get(name.toLowerCase())),
    ),
    ...(wantedBody.equals(sentBody) ? [] : compareBodies(wanted, wantedBody.toString(), sentBody.toString(), exact)),
  ];
}

/** The path of a base address, without a trailing slash. */
export function basePath(base: string): string {
  return URL.canParse(base) ? new URL(base).pathname.replace(/\/$/, '') : '';
}

function compareBodies(wanted: Wanted, expected: string, actual: string, exact: boolean): string[] {
  if (!exact) {
    const [left, right] = [readJson(expected), readJson(actual)];
    if (left !== undefined && right !== undefined) return differences('request.body', spelled(left), spelled(right));
    const type = wanted.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    if (type.startsWith('application/x-www-form-urlencoded')) return comparePairs(expected, actual);
  }
  let at = 0;
  while (expected[at] === actual[at] && at < expected.length) at += 1;
  const near = (text: string): string => shown(text.slice(Math.max(0, at - 20), at + 60));
  return [`request.body: differs at character ${at}: expected …${near(expected)}, got …${near(actual)}`];
}

/**
 * Represents numbers and null as values of their own: `25.90` is neither `25.9` nor `"25.90"`, and null is not absent.
 */
function spelled(value: unknown): unknown {
  if (value === null) return { null: true };
  if (value instanceof JsonNumber) return { number: value.text };
  if (Array.isArray(value)) return value.map(spelled);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, spelled(item)]));
  return value;
}

function comparePairs(expected: string, actual: string): string[] {
  const [left, right] = [grouped(expected), grouped(actual)];
  return left && right
    ? differences('request.body', left, right)
    : ['request.body: expected form-encoded pairs, got something that does not decode'];
}

function grouped(encoded: string): Record<string, string[]> | undefined {
  const pairs = readPairs(encoded);
  if (!pairs) return undefined;
  const groups = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of pairs) (groups[name] ??= []).push(value);
  return groups;
}

/** The bytes of a vector's body. */
export function bytesOf(message: {
  readonly body?: string | null | undefined;
  readonly bodyBase64?: string | undefined;
}): Buffer {
  return message.bodyBase64 === undefined ? Buffer.from(message.body ?? '') : Buffer.from(message.bodyBase64, 'base64');
}

export function toHttpReply(reply: VectorReply): HttpReply {
  return { status: reply.status, headers: reply.headers, body: bytesOf(reply) };
}
