/** The requests of two runs of one call, and where they differ. */
import { readPairs } from '../../read/form.ts';
import { readJson } from '../../read/json.ts';
import type { HttpRequest } from '../../provider.ts';
import { differences, isObject } from '../difference.ts';

/** The name of every member of the requests that differs, without headers that are fresh each time by nature. */
export function differencesOf(
  left: readonly HttpRequest[],
  right: readonly HttpRequest[],
  fresh: readonly string[] = [],
): string[] {
  if (left.length !== right.length) return [`requests: first ${left.length}, then ${right.length}`];
  return left.flatMap((request, at) => {
    const where = left.length > 1 ? `requests[${at}]` : 'request';
    const found = differences(where, describeRequest(request, fresh), describeRequest(right[at]!, fresh));
    const same = bytesOf(request).equals(bytesOf(right[at]!));
    return found.length > 0 || same ? found : [`${where}.body: the same content in other bytes`];
  });
}

/** The headers that identify a repetition. */
export function keysOf(requests: readonly HttpRequest[]): string {
  return requests
    .flatMap(({ headers }) => Object.entries(headers ?? {}).filter(([name]) => /idempot/i.test(name)))
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .join('\n');
}

function bytesOf({ body }: HttpRequest): Buffer {
  return Buffer.from(body ?? '');
}

function describeRequest(request: HttpRequest, fresh: readonly string[]): object {
  const isFresh = (name: string): boolean => fresh.some((one) => one.toLowerCase() === name.toLowerCase());
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => !isFresh(name));
  return {
    method: request.method,
    path: request.path,
    headers: Object.fromEntries(headers),
    body: membersOf(bytesOf(request).toString('latin1')),
  };
}

/** JSON and forms by their members, anything else unchanged. */
function membersOf(body: string): unknown {
  const json = readJson(body);
  if (isObject(json)) return json;
  const pairs = /^[\w.%+-]+=/.test(body) ? readPairs(body) : undefined;
  return pairs && pairs.length > 1 ? pairs.map((pair) => pair.join('=')) : body;
}
