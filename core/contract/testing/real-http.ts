/** HTTP to real addresses, for round trips to a sandbox. Core's own client has limits that this one lacks. */
import http from 'node:http';
import https from 'node:https';
import { contractVersion } from '../core/version.ts';
import { isObject } from './difference.ts';
import { ProviderCallError, type HttpReply, type HttpRequest, type ProviderHttp } from '../provider.ts';

/**
 * Sends to `baseUrl`, and a request with `to` to the address that the option of this name has in `options`. Throws a
 * TypeError if the option holds no address. Follows no redirect and keeps no connection.
 */
export function realHttp(baseUrl: string, timeoutMs = 10_000, options: unknown = {}): ProviderHttp {
  return {
    async send(request) {
      const base = request.to === undefined ? baseUrl : readAddress(options, request.to);
      return send(base, request, timeoutMs);
    },
  };
}

function readAddress(options: unknown, name: string): string {
  const address = isObject(options) ? options[name] : undefined;
  if (typeof address === 'string') return address;
  throw new TypeError(`the option ${name} holds no address: name an option with the schema \`baseUrl\` in \`to\``);
}

function send(baseUrl: string, { method, path, headers, body }: HttpRequest, timeoutMs: number): Promise<HttpReply> {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const start = baseUrl.startsWith('https:') ? https.request : http.request;
  const length = bytes ? { 'Content-Length': String(bytes.length) } : {};
  // As core sends it: the headers of the request may replace it, in any spelling.
  const all = { 'User-Agent': `Paywright/${contractVersion}`, ...headers, ...length };
  return new Promise((resolve, reject) => {
    let sent = false;
    const fail = (cause: Error): void =>
      reject(new ProviderCallError(sent ? 'no_answer' : 'not_sent', `${method} failed: ${cause.message}`, cause));
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = start(baseUrl + path, { method, headers: all, agent: false, signal });
    outgoing.on('socket', (socket) => socket.once('connect', () => (sent = true)));
    outgoing.on('error', fail);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', fail);
      // A closed connection ends the answer early: the received part is not the whole answer.
      incoming.on('close', () => {
        if (!incoming.complete) return fail(new Error('the answer was cut'));
        const raw = incoming.rawHeaders;
        const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1]!] as const] : []));
        resolve({ status: incoming.statusCode ?? 0, headers: pairs, body: Buffer.concat(chunks) });
      });
    });
    outgoing.end(bytes);
  });
}
