/**
 * Limits how many connections this process keeps open, in total and per address. Connections above the limit are
 * closed.
 */
import type { Socket } from 'node:net';
import { toAddressBlock } from '../base/net/address-block.ts';

export interface ConnectionBounds {
  readonly total: number;
  readonly perAddress: number;
}

/**
 * Returns the listener for `connection` events. `dropped` is called for each connection that is closed immediately.
 * Node's `server.maxConnections` does not fit: a cluster hands the same connection again and again to a process that is
 * full.
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
