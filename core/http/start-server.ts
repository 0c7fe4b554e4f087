/** Listens, and stops in order. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { listenProblem } from '../base/net/listen-problem.ts';
import { limitConnections } from './connection-limits.ts';
import type { RequestState } from './state.ts';
import { toUnreadable, writeUnreadable } from './unreadable.ts';

export interface RunningServer {
  readonly port: number;
  /** Takes no more requests, lets those under way end, and after `graceMs` cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** The server cannot listen; the message says why, and the cure. */
export class ListenError extends Error {
  /** Marks it as meant for the person who starts the service: no stack is shown. */
  readonly problems: readonly string[];

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ListenError';
    this.problems = [message];
  }
}

/** How long a request may take to arrive, in milliseconds, however steadily a few bytes of it come. */
export interface ArrivalLimits {
  readonly headersTimeout: number;
  /** Of the whole request, its headers included. */
  readonly requestTimeout: number;
  /** How often Node looks. */
  readonly connectionsCheckingInterval: number;
}

// With Node's own 30 s between two looks a slow body would last a minute.
const arrivalLimits = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 } as const;
/** Idle connections outlive the minute that load balancers keep them. */
const keepAliveTimeout = 65_000;
const maxHeaderBytes = 16_384;

/** The latest request of a connection, and how many it has had. */
interface Latest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly count: number;
}

/** Bounds of connections. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly maxRequestsPerConnection: number;
  /** Trusted proxies in front: the connections are theirs, and only their number is bounded. */
  readonly trustedProxies: number;
}

export interface ServerSetup {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Where errors are explained. */
  readonly publicUrl?: string;
  readonly connections?: ConnectionLimits;
  /** Absent: headers in 10 s, the whole request in 30 s. */
  readonly arrival?: ArrivalLimits;
  /** A connection was closed at once: there were too many. */
  readonly onDropped?: () => void;
  /** The variables that set host and port, for who has to set others. */
  readonly names?: { readonly host: string; readonly port: string };
}

/** Rejects with a `ListenError`. */
export async function startServer(app: Koa<RequestState>, setup: ServerSetup): Promise<RunningServer> {
  const { host, port, publicUrl = '', connections, arrival = arrivalLimits, onDropped = () => undefined } = setup;
  const { names } = setup;
  const handle = app.callback();
  let isClosing = false;
  const isProxied = (connections?.trustedProxies ?? 0) > 0;
  const maxRequests = isProxied ? Infinity : (connections?.maxRequestsPerConnection ?? Infinity);
  const latest = new WeakMap<Duplex, Latest>();
  const open = new Set<ServerResponse>();
  const take: RequestListener = (request, response) => {
    const count = (latest.get(request.socket)?.count ?? 0) + 1;
    latest.set(request.socket, { request, response, count });
    if (isClosing || count >= maxRequests) response.setHeader('Connection', 'close');
    // Once closing, a connection goes as soon as its answer has left.
    response.once('close', () => isClosing && server.closeIdleConnections());
    open.add(response);
    response.once('close', () => open.delete(response));
    void handle(request, response);
  };
  const server = createServer({ ...arrival, keepAliveTimeout, maxHeaderSize: maxHeaderBytes }, take);
  if (connections) {
    const { maxConnections: total, maxConnectionsPerAddress } = connections;
    const perAddress = isProxied ? Infinity : maxConnectionsPerAddress;
    server.on('connection', limitConnections({ total, perAddress }, onDropped));
  }
  server.on('checkExpectation', take); // What somebody expects of us is no reason to refuse what they send.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { request, response } = latest.get(socket) ?? {};
    const isAnswering = response !== undefined && !response.writableFinished;
    // What follows a whole request is not about it: that gets its own answer, and the connection ends with it.
    if (isAnswering && request?.complete) response.once('close', () => socket.destroy());
    else if (error.code === 'ECONNRESET' || !socket.writable || (isAnswering && response.headersSent)) socket.destroy();
    else socket.end(writeUnreadable(toUnreadable(error, maxHeaderBytes), publicUrl));
  });
  await new Promise<void>((resolve, reject) => {
    // Stays: that one connection cannot be taken (too many open files) is no reason to end.
    server.on('error', (error: NodeJS.ErrnoException) =>
      reject(new ListenError(listenProblem(error, { host, port }, names), error)),
    );
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
        // These have no end of their own, and a listener comes back.
        for (const response of open) if (isStream(response)) response.destroy();
      });
    },
  };
}

function isStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
}
