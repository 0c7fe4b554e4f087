/** How many connections this process keeps open, in all and of one address: each new one of anybody waits for its turn among all. */
import type { Socket } from 'node:net';
import { toAddressBlock } from '../base/net/address-block.ts';

export interface ConnectionBounds {
  readonly total: number;
  readonly perAddress: number;
}

/**
 * For `connection` events; `dropped` is called for each connection that is closed at once. Not by Node's
 * `server.maxConnections`: a process of a cluster that is full by it is given the same connection again and again.
 */
export function limitConnections(
  { total, perAddress }: ConnectionBounds,
  dropped: () => void,
): (socket: Socket) => void {
  const openOf = new Map<string, number>();
  let open = 0;
  return (socket) => {
    const block = toAddressBlock(socket.remoteAddress ?? '');
    const count = (openOf.get(block) ?? 0) + 1;
    if (open >= total || count > perAddress) {
      socket.destroy();
      dropped();
      return;
    }
    open += 1;
    openOf.set(block, count);
    socket.once('close', () => {
      open -= 1;
      const left = openOf.get(block)! - 1;
      if (left) openOf.set(block, left);
      else openOf.delete(block);
    });
  };
}
