/** Ends this very process with -9 between two of its messages. */
import { Socket } from 'node:net';
import { commandNameOf } from '../../core/database/testing/command-name.ts';

/** What only reads: a kill before it leaves behind what a kill before the next message does. `$cmd` begins a connection. */
const reads = ['$cmd', 'hello', 'ping', 'find', 'getMore', 'aggregate', 'count', 'distinct', 'endSessions'];

/**
 * From now on the messages count that may change something outside this process, and right before the `killAt`-th it is
 * killed. What goes to the database's port may only read; all else is a call to a provider or a merchant, or an answer. Gives
 * how many there were.
 */
export function killBefore(killAt: number, databasePort: number): () => number {
  let changes = 0;
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the socket that it is called for
  const write: (this: Socket, message: Buffer, ...rest: never[]) => boolean = Socket.prototype.write;
  Socket.prototype.write = function (this: Socket, message: Buffer, ...rest: never[]): boolean {
    // The driver writes each message at once.
    if (this.remotePort !== databasePort || !reads.includes(commandNameOf(message))) {
      changes += 1;
      if (changes === killAt) process.kill(process.pid, 'SIGKILL');
    }
    return write.call(this, message, ...rest);
  };
  return () => changes;
}
