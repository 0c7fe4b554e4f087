/** The front of a sandbox: reads a complete request, finds its handler, and writes its answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { utf8 } from '../callback.ts';
import { readPairs, uniquePairs } from '../read/form.ts';
import { readJson } from '../read/json.ts';
import { textReply, writeReply, type Reply } from './reply.ts';

/** A request as it arrived. `onlyHeader`, `headerValues` and `contentType` of the contract read its headers. */
export interface SandboxRequest {
  readonly method: string;
  /** The path below the sandbox's address, percent-encoded as sent. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The body as strict UTF-8; undefined for other bytes. */
  text(): string | undefined;
  /** The body as `readJson` reads it (numbers are `JsonNumber`); undefined if it is not JSON. */
  json(): unknown;
  /** The body as a form; undefined if it is not a form, or if a name occurs twice. */
  form(): ReadonlyMap<string, string> | undefined;
  /** The query as a form, by the same rule. */
  queryForm(): ReadonlyMap<string, string> | undefined;
}

/** Answers one request. It gets the path's parameters, percent-decoded, in order. */
export type Handler = (request: SandboxRequest, ...params: string[]) => Reply | Promise<Reply>;

export interface RouterOptions {
  /** The sandbox's own address. If it has a path, that path is removed from requests. */
  readonly baseUrl?: string;
  /** The largest body in bytes; 1 MiB by default. A larger body is answered with 413. */
  readonly maxBytes?: number;
  /** Answers requests that match no route; a plain 404 by default. */
  readonly otherwise?: Handler;
}

/**
 * Handles requests by a table such as `{ 'POST /v1/charges/:txn/complete': complete }`. A literal path wins over a
 * pattern that is listed after it. If a handler throws, the router answers 500 and warns; nothing reaches the process.
 */
export function createRouter(
  routes: Readonly<Record<string, Handler>>,
  { baseUrl, maxBytes = 2 ** 20, otherwise = () => textReply(404, 'no such address') }: RouterOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const base = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const table = Object.entries(routes).map(([key, handler]) => ({ ...readPattern(key), handler }));

  return async (incoming, response) => {
    try {
      const body = await readBody(incoming, maxBytes);
      if (!body) {
        writeReply(response, textReply(413, 'too large', { Connection: 'close' }));
        return;
      }
      const request = toRequest(incoming, body, base);
      for (const { method, form, handler } of table) {
        const found = method === request.method && form.exec(request.path);
        const params = found && decodeAll(found.slice(1));
        if (params) {
          writeReply(response, await handler(request, ...params));
          return;
        }
      }
      writeReply(response, await otherwise(request));
    } catch (error) {
      const callerLeft = !incoming.complete;
      if (callerLeft || response.headersSent) response.destroy();
      else writeReply(response, textReply(500, 'the sandbox failed'));
      if (!callerLeft) process.emitWarning(toError(error));
    }
  };
}

function readPattern(key: string): { method: string; form: RegExp } {
  const match = /^([A-Z]+) (\/\S*)$/.exec(key);
  if (!match) throw new TypeError(`invalid route "${key}": write it as "METHOD /path"`);
  const path = match[2]!
    .split('/')
    .map((part) => (part.startsWith(':') ? '([^/]+)' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return { method: match[1]!, form: new RegExp(`^${path}$`) };
}

function decodeAll(parts: readonly string[]): string[] | undefined {
  try {
    return parts.map((part) => decodeURIComponent(part));
  } catch {
    return undefined; // A broken escape: no such address.
  }
}

async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    // The rest is read and dropped, so that the caller gets the answer instead of a reset.
    if (size <= maxBytes) chunks.push(chunk as Buffer);
  }
  return size <= maxBytes ? Buffer.concat(chunks) : undefined;
}

function toRequest(incoming: IncomingMessage, body: Buffer, base: string): SandboxRequest {
  const [path = '/', ...rest] = (incoming.url ?? '/').split('?');
  const query = rest.join('?');
  const raw = incoming.rawHeaders;
  const text = (): string | undefined => utf8(body);
  return {
    method: incoming.method ?? 'GET',
    path: base && path.startsWith(`${base}/`) ? path.slice(base.length) : path,
    query,
    headers: raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1]!] as const] : [])),
    body,
    text,
    json: () => readJson(text()),
    form: () => readForm(text()),
    queryForm: () => readForm(query),
  };
}

function readForm(text: string | undefined): ReadonlyMap<string, string> | undefined {
  const pairs = text === undefined ? undefined : readPairs(text);
  return pairs && uniquePairs(pairs);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
