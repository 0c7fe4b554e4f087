/** Kinds of merchants' servers, and the result of the first delivery attempt to each. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceiverKind {
  readonly name: string;
  readonly answer: (response: ServerResponse, request: IncomingMessage) => void;
  /** State of the notification after its first attempt. */
  readonly state: 'delivered' | 'waiting' | 'gone';
  /** The recorded status; null without a status. */
  readonly status: number | null;
  /** The next attempt is due at least this much later. */
  readonly delayMs?: number;
}

const withStatus = (status: number, headers: Record<string, string> = {}): ReceiverKind['answer'] => {
  return (response) => response.writeHead(status, headers).end();
};

function statusKind(status: number): ReceiverKind {
  const state = status < 300 ? 'delivered' : status === 410 ? 'gone' : 'waiting';
  const headers: Record<string, string> = status >= 301 && status <= 308 ? { Location: '/elsewhere' } : {};
  const delayMs = status === 429 ? 60_000 : 5000;
  return {
    name: String(status),
    answer: withStatus(status, headers),
    state,
    status,
    ...(state === 'waiting' && { delayMs }),
  };
}

/** Writes to the connection directly. */
const raw = (text: string, isEnd = true): ReceiverKind['answer'] => {
  return ({ socket }) => {
    socket?.write(text);
    if (isEnd) socket?.end();
  };
};

const statuses = [
  200, 201, 202, 204, 206, 226, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 413, 429, 500, 502, 503,
  504,
];

export const receiverKinds: readonly ReceiverKind[] = [
  ...statuses.map(statusKind),
  {
    name: '503 for ten minutes',
    answer: withStatus(503, { 'Retry-After': '600' }),
    state: 'waiting',
    status: 503,
    delayMs: 600_000,
  },
  {
    name: '503 forever',
    answer: withStatus(503, { 'Retry-After': '99999999999999999999' }),
    state: 'waiting',
    status: 503,
    delayMs: 86_400_000,
  },
  {
    name: '503 for an unknown time',
    answer: withStatus(503, { 'Retry-After': 'soon' }),
    state: 'waiting',
    status: 503,
    delayMs: 5000,
  },
  {
    name: 'a response body of a megabyte',
    answer: (response) => response.end(Buffer.alloc(1_000_000)),
    state: 'delivered',
    status: 200,
  },
  {
    name: 'closes the connection immediately',
    answer: ({ socket }) => socket?.destroy(),
    state: 'waiting',
    status: null,
    delayMs: 5000,
  },
  {
    name: 'a protocol other than HTTP',
    answer: raw('What do you want?\r\n\r\n'),
    state: 'waiting',
    status: null,
    delayMs: 5000,
  },
  {
    name: 'half a body',
    answer: raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
    state: 'waiting',
    status: 200,
    delayMs: 5000,
  },
  { name: 'half a head', answer: raw('HTTP/1.1 200 OK\r\nContent-'), state: 'waiting', status: null, delayMs: 5000 },
  {
    name: 'another protocol',
    answer: raw('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    state: 'waiting',
    status: null,
    delayMs: 5000,
  },
  {
    name: 'endless informational responses',
    answer: raw('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20), false),
    state: 'waiting',
    status: null,
    delayMs: 5000,
  },
  { name: 'never answers', answer: () => undefined, state: 'waiting', status: null, delayMs: 60_000 },
  {
    name: 'a response head and nothing more',
    answer: raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n', false),
    state: 'waiting',
    status: 200,
    delayMs: 60_000,
  },
  {
    name: 'sends a byte now and then',
    answer(response) {
      const timer = setInterval(() => response.write('.'), 500);
      response.on('close', () => clearInterval(timer));
    },
    state: 'waiting',
    status: 200,
    delayMs: 60_000,
  },
];

/** Each receiver has its own port, so that none limits another. */
export async function startReceivers(): Promise<{ readonly urls: readonly string[]; close(): Promise<void> }> {
  const servers = receiverKinds.map(({ answer }) =>
    createServer((request, response) => {
      request.resume();
      request.on('end', () => answer(response, request));
    }),
  );
  await Promise.all(
    servers.map(
      async (server) =>
        new Promise<void>((resolve) => {
          server.listen(0, '127.0.0.1', resolve);
        }),
    ),
  );
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`),
    async close() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(
        servers.map(
          async (server) =>
            new Promise((resolve) => {
              server.close(resolve);
            }),
        ),
      );
    },
  };
}
