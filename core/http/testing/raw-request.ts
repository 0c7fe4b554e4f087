/** Sends a request byte for byte, without the corrections that `fetch` makes. */
import { connect } from 'node:net';

export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends the parts in order, and reads until the server closes. The request should ask it to close. */
export function sendRaw(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString();
      const [head = '', ...rest] = text.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') });
    });
    for (const part of parts) socket.write(part);
  });
}

/** Encodes the bytes for `Transfer-Encoding: chunked`, in chunks of the given size. */
export function toChunked(body: Uint8Array, size: number): Buffer {
  const parts: (string | Uint8Array)[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    parts.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n');
  }
  return Buffer.concat([...parts, '0\r\n\r\n'].map((part) => Buffer.from(part)));
}

/** Sends the parts, and closes the connection as soon as they are sent. */
export function hangUpAfter(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject);
    for (const part of parts) socket.write(part);
    socket.end(() => {
      socket.destroy();
      resolve();
    });
  });
}
