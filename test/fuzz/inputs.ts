/** Inputs of the cost fuzzer: a route, one field of its request, and the shape that the field gets. */
import type { Target } from './targets.ts';
import {
  bodyShapes,
  contentTypes,
  headerListShapes,
  headerShapes,
  pathShapes,
  queryShapes,
  valueShapes,
  type Shape,
} from './shapes.ts';

export interface Input {
  readonly route: string;
  /** `path`, `query`, `headers`, `body`, `connection`, or one value, such as `header Accept` or `body data.id`. */
  readonly field: string;
  readonly shape: string;
}

/** Node refuses more than 16 kB of headers. */
const headBytes = 15_000;
const pipelined = 1000;

type Headers = readonly (readonly [string, string])[];
/** A request with one part replaced. */
type Changes = Partial<Pick<Target, 'path' | 'query' | 'headers' | 'body'>>;
type Change = (target: Target) => Changes;

/** Headers that the code around every route reads. They are tried at the routes that read no others. */
const commonHeaders = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Authorization',
  'Baggage',
  'Content-Type',
  'Cookie',
  'Expect',
  'Forwarded',
  'Host',
  'Idempotency-Key',
  'If-None-Match',
  'Origin',
  'Referer',
  'Traceparent',
  'Tracestate',
  'User-Agent',
  'X-API-Key',
  'X-Forwarded-For',
  'X-Request-Id',
];

const setHeader = (headers: Headers, name: string, value: string): Headers => [
  ...headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase()),
  [name, value],
];

/** Every input of a route. */
export function inputsOf(target: Target): Input[] {
  return [...changesOf(target)].flatMap(([field, shapes]) =>
    Object.keys(shapes).map((shape) => ({ route: target.route, field, shape })),
  );
}

/** The bytes of an input. Throws if the target has no such field or shape. */
export function toBytes(target: Target, { field, shape }: Omit<Input, 'route'>): Buffer {
  const change = changesOf(target).get(field)?.[shape];
  if (!change) throw new Error(`${target.route} has no input "${field}" of the shape "${shape}"`);
  const changed: Target = { ...target, ...change(target) };
  if (field !== 'connection') return requestBytes(changed, true);
  return Buffer.concat(Array.from({ length: pipelined }, () => requestBytes(changed, false)));
}

function requestBytes({ method, path, query, headers, body }: Target, isLast: boolean): Buffer {
  const bytes = Buffer.from(body);
  const all: Headers = [
    ...(headers.some(([name]) => name === 'Host') ? [] : [['Host', 'localhost'] as const]),
    ...headers,
    ...(method === 'GET' ? [] : [['Content-Length', String(bytes.length)] as const]),
    ...(isLast ? [['Connection', 'close'] as const] : []),
  ];
  const lines = [`${method} ${path}${query && `?${query}`} HTTP/1.1`, ...all.map((pair) => pair.join(': ')), '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), ...(method === 'GET' ? [] : [bytes])]);
}

type Changing = Readonly<Record<string, Change>>;

function each<T>(shapes: Readonly<Record<string, T>>, change: (shape: T) => Change): Changing {
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, change(shape)]));
}

function changesOf(target: Target): Map<string, Changing> {
  const { headers, query, bodyBytes, method } = target;
  const found = new Map<string, Changing>();
  found.set('connection', { 'pipelined requests': () => ({}) });
  found.set(
    'path',
    each(pathShapes, (make) => ({ path }) => ({ path: path + make(headBytes) })),
  );
  found.set(
    'query',
    each(queryShapes, (make) => () => ({ query: make(headBytes) })),
  );
  found.set(
    'headers',
    each(headerListShapes, (make) => () => ({ headers: [...headers, ...make(headBytes)] })),
  );
  for (const name of headers.length > 0 ? headers.map(([one]) => one) : commonHeaders)
    found.set(
      `header ${name}`,
      each(headerShapes, (make) => () => ({ headers: setHeader(headers, name, make(headBytes)) })),
    );
  for (const name of new Set(new URLSearchParams(query).keys()))
    found.set(
      `query ${name}`,
      each(valueShapes, (make) => () => ({ query: withParameter(query, name, make) })),
    );
  if (method === 'GET') return found;
  found.set(
    'body',
    each(bodyShapes, ({ type, make }) => () => ({
      headers: setHeader(headers, 'Content-Type', contentTypes[type] ?? ''),
      body: make(bodyBytes * 0.95),
    })),
  );
  for (const [name, replace] of bodyFields(target))
    found.set(
      `body ${name}`,
      each(valueShapes, (make) => () => ({ body: replace(make) })),
    );
  return found;
}

function withParameter(query: string, name: string, make: Shape): string {
  const parameters = new URLSearchParams(query);
  parameters.delete(name);
  const value = encodeURIComponent(make(headBytes)).slice(0, headBytes - query.length - 10);
  return `${parameters.toString()}&${name}=${value.replace(/%[\dA-F]?$/, '')}`;
}

/** The values of a body, with a function that replaces the value by a shape of nearly the body's limit. */
function bodyFields({ body, bodyBytes }: Target): Map<string, (make: Shape) => string> {
  const size = Math.floor(bodyBytes * 0.95) - body.length;
  if (body.startsWith('{') || body.startsWith('[')) return jsonFields(JSON.parse(body), size);
  if (body.startsWith('<')) return xmlFields(body, size);
  const fields = new Map<string, (make: Shape) => string>();
  for (const name of new Set(new URLSearchParams(body).keys())) {
    fields.set(name, (make) => {
      const changed = new URLSearchParams(body);
      // Escapes make most characters three times as long.
      changed.set(name, make(size));
      const text = changed.toString();
      if (text.length > bodyBytes) changed.set(name, make(Math.floor(size / (text.length / size)) - 10));
      return changed.toString();
    });
  }
  return fields;
}

function jsonFields(json: unknown, size: number): Map<string, (make: Shape) => string> {
  const fields = new Map<string, (make: Shape) => string>();
  const visit = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) {
      fields.set(path.join('.'), (make) => {
        const long = JSON.stringify(replaceAt(json, path, make(size)));
        return long.length <= size * 1.05
          ? long
          : JSON.stringify(replaceAt(json, path, make(size / (long.length / size))));
      });
      return;
    }
    // The first element of a list stands for the others.
    for (const [name, inner] of Object.entries(value).slice(0, Array.isArray(value) ? 1 : undefined))
      visit(inner, [...path, name]);
  };
  visit(json, []);
  return fields;
}

function replaceAt(value: unknown, [name, ...rest]: readonly string[], leaf: string): unknown {
  if (name === undefined) return leaf;
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === name ? replaceAt(one, rest, leaf) : one));
  const object = value as Readonly<Record<string, unknown>>;
  return { ...object, [name]: replaceAt(object[name], rest, leaf) };
}

const xmlEscapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

function xmlFields(body: string, size: number): Map<string, (make: Shape) => string> {
  const fields = new Map<string, (make: Shape) => string>();
  for (const { index, 1: name = '', 2: value = '' } of body.matchAll(/ ([\w:]+)="([^"]*)"/g)) {
    const from = index + name.length + 3;
    fields.set(name, (make) => {
      const escaped = make(size).replaceAll(/[&<"]/g, (one) => xmlEscapes[one] ?? '');
      return body.slice(0, from) + escaped.slice(0, size).replace(/&[a-z]*$/, '') + body.slice(from + value.length);
    });
  }
  return fields;
}
