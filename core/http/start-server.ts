/** Listens for requests, and stops gracefully. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { listenProblem } from '../base/net/listen-problem.ts';
import { limitConnections } from './connection-limits.ts';
import { feedInParts } from './feed-in-parts.ts';
import { useLinearQuery } from './input/parse-query.ts';
import type { RequestState } from './state.ts';
import { toUnreadable, writeUnreadable } from './unreadable.ts';

export interface RunningServer {
  readonly port: number;
  /**
   * Accepts no more requests, lets requests in progress finish, and closes the remaining connections after `graceMs`.
   */
  close(graceMs: number): Promise<void>;
}

/** The server cannot listen. The message says why, and what to do. */
export class ListenError extends Error {
  /** Marks an error for the person who starts the service: it is printed without its stack. */
  readonly problems: readonly string[];

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ListenError';
    this.problems = [message];
  }
}

/** Time limits for the arrival of a request, in milliseconds. A slow trickle of bytes does not extend them. */
export interface ArrivalLimits {
  readonly headersTimeout: number;
  /** Time limit of the whole request, including its headers. */
  readonly requestTimeout: number;
  /** How often Node.js checks the limits. */
  readonly connectionsCheckingInterval: number;
}

// Node's default interval of 30 s would let a slow body take a minute.
const arrivalLimits = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 } as const;
/** Idle connections stay open for longer than the minute that load balancers reuse them. */
const keepAliveTimeout = 65_000;
const maxHeaderBytes = 16_384;

/** Maximum requests of one connection that wait for their answers. */
const maxUnanswered = 8;
/** A connection that has its last answer is destroyed after this time, whether or not the other side closes it. */
const lingerMs = 1000;

/** What was begun on one connection. */
interface Connection {
  latest?: { readonly request: IncomingMessage; readonly response: ServerResponse };
  count: number;
  unanswered: number;
  /** True: the answer to the latest request is the last one. Further requests are not begun. */
  isEnding: boolean;
  /** True: a request arrived after the last one that is answered. Nothing more is parsed. */
  isOver: boolean;
}

/** Why a connection was closed: too many connections, or too many requests at the same time on this one. */
export type WhyDropped = 'connections' | 'pipelining';

/** Limits of connections. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly maxRequestsPerConnection: number;
  /**
   * Number of trusted proxies in front of the service. Connections are then the proxies', so only their total is
   * limited.
   */
  readonly trustedProxies: number;
}

export interface ServerOptions {
  readonly host: string;
  /** 0: the system chooses a free port. */
  readonly port: number;
  /** The address at which errors are explained. */
  readonly publicUrl?: string;
  readonly connections?: ConnectionLimits;
  /** Default: 10 s for the headers, 30 s for the whole request. */
  readonly arrival?: ArrivalLimits;
  /** Called when a connection is closed because of a limit. */
  readonly onDropped?: (why: WhyDropped) => void;
  /** The environment variables that set host and port, for services that use other variables. */
  readonly names?: { readonly host: string; readonly port: string };
}

/** Rejects with a `ListenError`. */
export async function startServer(app: Koa<RequestState>, options: ServerOptions): Promise<RunningServer> {
  const { host, port, publicUrl = '', connections, arrival = arrivalLimits, onDropped = () => undefined } = options;
  const { names } = options;
  useLinearQuery(app);
  const handle = app.callback();
  let isClosing = false;
  const isProxied = (connections?.trustedProxies ?? 0) > 0;
  const maxRequests = isProxied ? Infinity : (connections?.maxRequestsPerConnection ?? Infinity);
  const known = new WeakMap<Duplex, Connection>();
  const open = new Set<ServerResponse>();
  const take: RequestListener = (request, response) => {
    const connection = known.get(request.socket) ?? { count: 0, unanswered: 0, isEnding: false, isOver: false };
    if (connection.isEnding) {
      connection.isOver = true;
      return;
    }
    if (connection.unanswered >= maxUnanswered) {
      endAfterLatest(connection);
      onDropped('pipelining');
      return;
    }
    known.set(request.socket, connection);
    connection.latest = { request, response };
    connection.count += 1;
    connection.unanswered += 1;
    connection.isEnding = isClosing || connection.count >= maxRequests;
    if (connection.isEnding) response.setHeader('Connection', 'close');
    open.add(response);
    // One listener, because a response with a stream has many listeners of its own.
    response.once('close', () => {
      open.delete(response);
      connection.unanswered -= 1;
      // During shutdown, a connection closes as soon as its answer was sent.
      if (isClosing) server.closeIdleConnections();
    });
    void handle(request, response);
  };
  const perAddress = isProxied ? Infinity : (connections?.maxConnectionsPerAddress ?? Infinity);
  const total = connections?.maxConnections ?? Infinity;
  const limit = limitConnections({ total, perAddress }, () => onDropped('connections'));
  const server = createServer({ ...arrival, keepAliveTimeout, maxHeaderSize: maxHeaderBytes }, take);
  server.on('connection', (socket) => {
    limit(socket);
    if (!socket.destroyed) feedInParts(socket, maxUnanswered + 1, () => known.get(socket)?.isOver ?? false);
  });
  server.on('checkExpectation', take); // An `Expect` header is no reason to refuse a request.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { request, response } = known.get(socket)?.latest ?? {};
    const isAnswering = response !== undefined && !response.writableFinished;
    // Bytes after a complete request are not about that request: it gets its own answer, and the connection ends with
    // it.
    if (isAnswering && request?.complete) response.once('close', () => socket.destroy());
    else if (error.code === 'ECONNRESET' || !socket.writable || (isAnswering && response.headersSent)) socket.destroy();
    else endSoon(socket, writeUnreadable(toUnreadable(error, maxHeaderBytes), publicUrl));
  });
  await new Promise<void>((resolve, reject) => {
    // The listener stays: failing to accept one connection (too many open files) is no reason to stop the process.
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
        // Streams have no end of their own. Their clients reconnect.
        for (const response of open) if (isStream(response)) response.destroy();
      });
    },
  };
}

/** The requests after the latest one are not begun, so the client can safely send them again. */
function endAfterLatest(connection: Connection): void {
  const { request, response } = connection.latest!;
  connection.isEnding = true;
  connection.isOver = true;
  if (!response.headersSent) response.setHeader('Connection', 'close');
  response.once('close', () => request.socket.destroySoon());
}

function endSoon(socket: Duplex, text: string): void {
  socket.end(text);
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

function isStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
}
