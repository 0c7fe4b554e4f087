/** A merchant's server for tests: keeps the requests that it receives, and answers as the test says. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { afterEach } from 'mocha';

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Answers one request; `count` is its number, from 1. */
export type Answer = (answer: ServerResponse, count: number, request: Received) => void;

export async function startReceiver(answer: Answer, { port = 0, host = '127.0.0.1' } = {}): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      const entry = { method, path, headers, body: Buffer.concat(chunks) };
      answer(response, received.push(entry), entry);
    });
  };
  const server = createServer(listener);
  const bound = await listen(server, port, host);
  return {
    url: `http://${host}:${bound}/hook?tenant=7`,
    port: bound,
    received,
    async close() {
      server.closeAllConnections();
      await closed(server);
    },
  };
}

export const ok: Answer = (answer) => answer.end('OK');

/** Starts receivers, and closes them after each test of the suite. */
export function useReceivers(): (answer: Answer, where?: { port?: number; host?: string }) => Promise<Receiver> {
  const receivers: Receiver[] = [];
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
  });
  return async (answer, where) => {
    const receiver = await startReceiver(answer, where);
    receivers.push(receiver);
    return receiver;
  };
}

/** The members by which a receiver recognises a repetition. */
export function repeatable({ headers, body }: Received) {
  return { id: headers['webhook-id'], body: body.toString(), signature: headers['x-webhook-signature'] };
}

/** Starts to listen. Returns the port. */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

export async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
  });
}
