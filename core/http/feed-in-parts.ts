/**
 * Hands what arrives on a connection to Node's HTTP parser in parts with a bounded number of requests. Node parses a
 * whole read of 64 kB in one turn of the event loop, so 1,800 pipelined requests would cost 30 ms before the server can
 * end the connection.
 */
import type { Socket } from 'node:net';

/** The end of a header. The end of a part of a multipart body looks the same, which only makes more parts. */
const headerEnd = '\r\n\r\n';

/**
 * A listener of the server's `connection` event, after Node's own. `isOver` returns true if the connection begins no
 * more requests: the rest is dropped without parsing it.
 */
export function feedInParts(socket: Socket, maxHeaders: number, isOver: () => boolean): void {
  const parsers = socket.listeners('data') as ((part: Buffer) => void)[];
  socket.removeAllListeners('data');
  socket.on('data', (data: Buffer) => {
    for (let rest = data; rest.length > 0 && !isOver();) {
      // Node pauses a connection whose answers are not read yet, and parses nothing until then.
      if (socket.isPaused()) {
        socket.unshift(rest);
        return;
      }
      const end = endOfPart(rest, maxHeaders);
      for (const parse of parsers) parse.call(socket, rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}

function endOfPart(data: Buffer, maxHeaders: number): number {
  let end = 0;
  for (let count = 0; count < maxHeaders; count += 1) {
    const at = data.indexOf(headerEnd, end, 'latin1');
    if (at < 0) return data.length;
    end = at + headerEnd.length;
  }
  return end;
}
