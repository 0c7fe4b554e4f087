/** Listens, and stops in order. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import type { RequestState } from './state.ts';

export interface RunningServer {
  readonly port: number;
  /** Takes no more requests, lets those under way end, and after `graceMs` cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** The server cannot listen; the message says why, and the cure. */
export class ListenError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ListenError';
  }
}

/** Headers in 15 s, the whole request in 60 s; idle connections outlive the minute that load balancers keep them. */
const limits = { headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 } as const;

/** Port 0 takes a free one. Rejects with a `ListenError`. */
export async function startServer(
  app: Koa<RequestState>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  const handle = app.callback();
  let isClosing = false;
  const server = createServer(limits, (request, response) => {
    if (isClosing) response.setHeader('Connection', 'close');
    // Once closing, a connection goes as soon as its answer has left.
    response.once('close', () => isClosing && server.closeIdleConnections());
    void handle(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    // Stays: that one connection cannot be taken (too many open files) is no reason to end.
    server.on('error', (error: NodeJS.ErrnoException) => reject(describe(error, host, port)));
    server.listen({ host, port }, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    close(graceMs) {
      isClosing = true;
      return new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}

function describe(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is in use: stop what listens there, or set PORT to another one`,
    EACCES: `port ${port} of ${host} needs rights that this process lacks: set PORT to one above 1023`,
    EADDRNOTAVAIL: `${host} is no address of this machine: set HOST to one that is, such as 127.0.0.1`,
    ENOTFOUND: `the host name ${host} is not known here: set HOST to an address of this machine`,
  };
  return new ListenError(why[error.code ?? ''] ?? `cannot listen on port ${port} of ${host}: ${error.message}`, error);
}
