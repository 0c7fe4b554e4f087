/**
 * Limits how many connections this process keeps open, in total and per address. Connections above the limit are
 * closed. An address that pipelines more requests than the server begins, again and again, is barred until the next
 * minute: Node parses all requests of a read before our code can end the connection, so each costs tens of ms.
 */
import type { Socket } from 'node:net';
import { toAddressBlock } from '../base/net/address-block.ts';

export interface ConnectionBounds {
  readonly total: number;
  /** Infinity: the address is that of a proxy, so it is not barred either. */
  readonly perAddress: number;
}

export interface ConnectionLimiter {
  /** The listener for `connection` events. */
  readonly accept: (socket: Socket) => void;
  /** Counts a connection that was ended because of its pipelined requests. */
  readonly offend: (socket: Socket) => void;
}

const minuteMs = 60_000;
/** Per address and minute. */
const maxOffences = 10;

/**
 * `dropped` is called for each connection that is closed immediately. Node's `server.maxConnections` does not fit: a
 * cluster hands the same connection again and again to a process that is full.
 */
export function limitConnections(
  { total, perAddress }: ConnectionBounds,
  dropped: () => void,
  now: () => Date,
): ConnectionLimiter {
  const openOf = new Map<string, Set<Socket>>();
  let open = 0;
  let offences = { minute: 0, of: new Map<string, number>() };

  function offencesNow(): Map<string, number> {
    const minute = Math.floor(now().getTime() / minuteMs);
    if (minute !== offences.minute) offences = { minute, of: new Map() };
    return offences.of;
  }

  return {
    accept(socket) {
      const block = toAddressBlock(socket.remoteAddress ?? '');
      const sockets = openOf.get(block) ?? new Set();
      const isBarred = (offencesNow().get(block) ?? 0) >= maxOffences;
      if (open >= total || sockets.size >= perAddress || isBarred) {
        socket.destroy();
        dropped();
        return;
      }
      open += 1;
      openOf.set(block, sockets.add(socket));
      socket.once('close', () => {
        open -= 1;
        sockets.delete(socket);
        if (sockets.size === 0) openOf.delete(block);
      });
    },

    offend(socket) {
      if (perAddress === Infinity) return;
      const block = toAddressBlock(socket.remoteAddress ?? '');
      const count = (offencesNow().get(block) ?? 0) + 1;
      offencesNow().set(block, count);
      // Their bytes may have arrived already. A destroyed connection is not read.
      if (count >= maxOffences) for (const one of openOf.get(block) ?? []) one.destroy();
    },
  };
}
