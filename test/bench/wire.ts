/**
 * HTTP/1.1 over plain sockets, one request at a time per socket: so cheap that the load generator is never the limit.
 */
import { connect, type Socket } from 'node:net';

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface Wire {
  /** Rejects if the connection ends before the response is complete. */
  send(message: string): Promise<Reply>;
  close(): void;
}

const headEnd = '\r\n\r\n';
const lastChunk = '\r\n0\r\n\r\n';

export async function openWire(port: number): Promise<Wire> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  let waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined;
  let buffered = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    buffered += text;
    const reply = readReply();
    if (!reply) return;
    const { resolve } = waiting!;
    waiting = undefined;
    resolve(reply);
  });
  const fail = (error?: Error): void => waiting?.reject(error ?? new Error('the server closed the connection'));
  socket.on('error', fail).on('close', () => fail());

  function readReply(): Reply | undefined {
    const end = buffered.indexOf(headEnd);
    if (end === -1) return undefined;
    const head = buffered.slice(0, end);
    const whole = endOf(head, end + headEnd.length);
    if (whole === undefined || buffered.length < whole) return undefined;
    const body = buffered.slice(end + headEnd.length, whole);
    buffered = buffered.slice(whole);
    return { status: Number(head.slice(9, 12)), body };
  }

  /** Undefined while a chunked body is incomplete. Chunked responses are JSON, which contains no line breaks. */
  function endOf(head: string, bodyAt: number): number | undefined {
    if (/\r\ntransfer-encoding: *chunked/i.test(head))
      return buffered.endsWith(lastChunk) ? buffered.length : undefined;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) throw new Error(`an answer of unknown length: ${head}`);
    return bodyAt + Number(length);
  }

  return {
    async send(message) {
      return new Promise((resolve, reject) => {
        if (socket.destroyed) throw new Error('the server closed the connection');
        waiting = { resolve, reject };
        write(socket, message);
      });
    },
    close: () => void socket.destroy(),
  };
}

function write(socket: Socket, message: string): void {
  socket.write(message, 'utf8');
}

/** A complete request as text. */
export function request(method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): string {
  const all = { Host: 'localhost', ...headers, ...(body && { 'Content-Length': String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
