/** Kills this process with -9 between two of its messages. */
import { Socket } from 'node:net';
import { commandNameOf } from '../../core/database/testing/command-name.ts';

/**
 * Commands that only read: a kill before them has the same effect as a kill before the next message. `$cmd` opens a
 * connection.
 */
const reads = ['$cmd', 'hello', 'ping', 'find', 'getMore', 'aggregate', 'count', 'distinct', 'endSessions'];

/**
 * From now on counts the messages that may change something outside this process, and kills the process just before
 * number `killAt`. Messages to the database's port may be reads; all others are calls to a provider or a merchant, or
 * responses. Returns a function that returns the count.
 */
export function killBefore(killAt: number, databasePort: number): () => number {
  let changes = 0;
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the socket that it is called for
  const write: (this: Socket, message: Buffer, ...rest: never[]) => boolean = Socket.prototype.write;
  Socket.prototype.write = function (this: Socket, message: Buffer, ...rest: never[]): boolean {
    // The driver writes each message in one call.
    if (this.remotePort !== databasePort || !reads.includes(commandNameOf(message))) {
      changes += 1;
      if (changes === killAt) process.kill(process.pid, 'SIGKILL');
    }
    return write.call(this, message, ...rest);
  };
  return () => changes;
}
