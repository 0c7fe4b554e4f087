/** The requests of two runs of one call, and where they differ. */
import { readPairs } from '../../read/form.ts';
import { readJson } from '../../read/json.ts';
import type { HttpRequest } from '../../provider.ts';
import { differences, isObject } from '../difference.ts';

/** Parts of a request that differ each time by nature, as the kit names them. */
export interface FreshParts {
  readonly headers?: readonly string[];
  /** Members of a body, at any depth. */
  readonly members?: readonly string[];
  /** Returns the content of a request whose bytes differ each time, because it is encrypted. */
  readonly readable?: (request: HttpRequest) => string;
}

/** The name of every member of the requests that differs, without parts that are fresh each time by nature. */
export function differencesOf(
  left: readonly HttpRequest[],
  right: readonly HttpRequest[],
  fresh: FreshParts = {},
): string[] {
  if (left.length !== right.length) return [`requests: first ${left.length}, then ${right.length}`];
  return left.flatMap((request, at) => {
    const where = left.length > 1 ? `requests[${at}]` : 'request';
    const found = differences(where, describeRequest(request, fresh), describeRequest(right[at]!, fresh));
    const same = hasFreshBytes(request, fresh) || bytesOf(request).equals(bytesOf(right[at]!));
    return found.length > 0 || same ? found : [`${where}.body: the same content in other bytes`];
  });
}

function bytesOf({ body }: HttpRequest): Buffer {
  return Buffer.from(body ?? '');
}

/** True if the bytes of the body differ each time, because of a part that the kit names. */
function hasFreshBytes(request: HttpRequest, { members = [], readable }: FreshParts): boolean {
  const content = contentOf(request, readable);
  return readable !== undefined || differences('', content, withoutMembers(content, members)).length > 0;
}

function contentOf(request: HttpRequest, readable: FreshParts['readable']): unknown {
  return membersOf(readable?.(request) ?? bytesOf(request).toString('latin1'));
}

function describeRequest(request: HttpRequest, { headers: fresh = [], members = [], readable }: FreshParts): object {
  const isFresh = (name: string): boolean => fresh.some((one) => one.toLowerCase() === name.toLowerCase());
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => !isFresh(name));
  return {
    method: request.method,
    path: request.path,
    headers: Object.fromEntries(headers),
    body: withoutMembers(contentOf(request, readable), members),
  };
}

function withoutMembers(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const kept = value.filter((one) => typeof one !== 'string' || !names.includes(one.split('=', 1)[0]!));
    return kept.map((one) => withoutMembers(one, names));
  }
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutMembers(one, names)]));
}

/** JSON and forms by their members, anything else unchanged. */
function membersOf(body: string): unknown {
  const json = readJson(body);
  if (isObject(json)) return json;
  const pairs = /^[\w.%+-]+=/.test(body) ? readPairs(body) : undefined;
  return pairs && pairs.length > 1 ? pairs.map((pair) => pair.join('=')) : body;
}
