/** A proxy between the gateway and a provider's sandbox that can hold, change or drop messages. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

export interface Proxy {
  readonly url: string;
  /** Address of the provider; known once it listens. */
  target: string;
  /** Sees each request before the provider does. If it returns a reply, that reply replaces the provider's. */
  before: (request: Passing) => Promise<Reply | void>;
  /** Sees each request after the provider answered. If it returns a reply, that reply replaces the provider's. */
  after: (request: Passing) => Promise<Reply | void>;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export async function startProxy(): Promise<Proxy> {
  const doNothing = async (): Promise<void> => undefined;
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const { method = 'GET', url: path = '/' } = request;
      const body = await bodyOf(request);
      const passing = { method, path, body: body.toString() };
      const early = await proxy.before(passing);
      if (early)
        return void response
          .writeHead(early.status, { 'Content-Type': early.type ?? 'application/json' })
          .end(early.body);
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
      const sent = { method, headers: headers as Record<string, string>, ...(body.length ? { body } : {}) };
      const reply = await fetch(`${proxy.target}${path}`, { ...sent, redirect: 'manual' });
      // The provider's own addresses must lead through this proxy, too.
      const text = (await reply.text()).replaceAll(proxy.target, url);
      const late = await proxy.after(passing);
      if (late)
        return void response.writeHead(late.status, { 'Content-Type': late.type ?? 'application/json' }).end(late.body);
      const kept = [...reply.headers].filter(
        ([name]) => !/^(content-length|connection|transfer-encoding|keep-alive)$/.test(name),
      );
      response.writeHead(reply.status, Object.fromEntries(kept)).end(text);
    };
    pass().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: Proxy = {
    url,
    target: '',
    before: doNothing,
    after: doNothing,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return proxy;
}
