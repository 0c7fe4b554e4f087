/** How many connections one address may keep open: each new one of anybody waits for its turn among all. */
import type { Socket } from 'node:net';
import { toAddressBlock } from '../address-block.ts';

/** For `connection` events; `dropped` is called for each connection that is closed at once. */
export function limitConnections(perAddress: number, dropped: () => void): (socket: Socket) => void {
  const open = new Map<string, number>();
  return (socket) => {
    const block = toAddressBlock(socket.remoteAddress ?? '');
    const count = (open.get(block) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      dropped();
      return;
    }
    open.set(block, count);
    socket.once('close', () => {
      const left = open.get(block)! - 1;
      if (left) open.set(block, left);
      else open.delete(block);
    });
  };
}
