/** Sends one HTTP request to the gateway, on a connection of its own. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { CallbackReply, CallbackRequest } from './sandbox-contract.ts';

/** The largest answer that is kept; acknowledgements are a few bytes. */
const MAX_REPLY_BYTES = 64 * 1024;

/** Sends the request and reads the complete answer; follows no redirect. Rejects if there is no answer in time. */
export function sendRequest(request: CallbackRequest, timeoutMs: number, signal?: AbortSignal): Promise<CallbackReply> {
  return withDeadline(timeoutMs, signal, (deadline) => exchange(request, deadline));
}

async function withDeadline<T>(
  ms: number,
  outer: AbortSignal | undefined,
  run: (deadline: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const cut = (): void => deadline.abort();
  const timer = setTimeout(cut, ms);
  outer?.addEventListener('abort', cut);
  try {
    return await run(deadline.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', cut);
  }
}

function exchange({ method, url, headers = {}, body }: CallbackRequest, deadline: AbortSignal): Promise<CallbackReply> {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const length = bytes ? { 'Content-Length': String(bytes.length) } : {};
    // No agent: a kept connection would outlive the sandbox.
    const outgoing = send(url, { method, headers: { ...headers, ...length }, agent: false, signal: deadline });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_REPLY_BYTES) incoming.destroy(new Error('the answer is too large'));
        else chunks.push(chunk);
      });
      incoming.on('error', reject);
      incoming.on('end', () => {
        const raw = incoming.rawHeaders;
        resolve({
          status: incoming.statusCode ?? 0,
          headers: raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1]!] as const] : [])),
          body: Buffer.concat(chunks),
        });
      });
    });
    outgoing.end(bytes);
  });
}
