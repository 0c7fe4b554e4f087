/** Sends bytes on a connection of their own, as a sender does who does not care about HTTP. */
import { connect } from 'node:net';

/** Returns the status of the first answer, `closed` without an answer, or `no answer` after `limitMs`. */
export async function sendBytes(
  port: number,
  bytes: Buffer,
  { localAddress = '127.0.0.1', limitMs = 60_000 }: { readonly localAddress?: string; readonly limitMs?: number } = {},
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  let head = '';
  return new Promise((resolve) => {
    let isLate = false;
    const cut = setTimeout(() => {
      isLate = true;
      socket.destroy();
    }, limitMs);
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => {
      if (head.length < 20) head += data.toString('latin1', 0, 20);
    });
    socket.on('close', () => {
      clearTimeout(cut);
      resolve(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? (isLate ? 'no answer' : 'closed'));
    });
    socket.write(bytes);
  });
}
