/** A worker that is killed right before the n-th message that may change something outside it, counted from when it begins to work. */
import { Socket } from 'node:net';
import pino from 'pino';
import { createGateway } from '../../core/gateway.ts';
import type { RunConfig } from '../../core/run-config.ts';
import { deliverNotifications } from '../../workers/jobs/deliver-notifications.ts';
import { drainCallbacks } from '../../workers/jobs/drain-callbacks.ts';
import { reconcile } from '../../workers/jobs/reconcile.ts';
import { relayOutbox } from '../../workers/jobs/relay-outbox.ts';

interface Order {
  readonly run: RunConfig;
  /** Of the database; whatever goes to another one is a call to a provider or a merchant. */
  readonly port: number;
  readonly killAt: number;
}

/** What only reads: a kill before it leaves behind what a kill before the next message does. `$cmd` begins a connection. */
const reads = ['$cmd', 'hello', 'ping', 'find', 'getMore', 'aggregate', 'count', 'distinct', 'endSessions'];

process.once('message', (order: Order) => {
  void work(order);
});

async function work({ run, port, killAt }: Order): Promise<void> {
  const gateway = await createGateway({
    ...run,
    log: pino({ level: 'silent' }),
    worker: 'doomed',
    notifyWorkers: () => undefined,
  });
  let changes = 0;
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the socket that it is called for
  const write: (this: Socket, message: Buffer, ...rest: never[]) => boolean = Socket.prototype.write;
  Socket.prototype.write = function (this: Socket, message: Buffer, ...rest: never[]): boolean {
    if (this.remotePort !== port || !reads.includes(commandOf(message))) {
      changes += 1;
      if (changes === killAt) process.kill(process.pid, 'SIGKILL');
    }
    return write.call(this, message, ...rest);
  };
  const { signal } = new AbortController();
  for (const job of [reconcile, drainCallbacks, relayOutbox, deliverNotifications]) await job.run(gateway, signal);
  process.send?.({ changes });
  process.exit(0);
}

/** The driver writes each message at once: header, flags, kind of section, and a document whose first member is the command. */
function commandOf(message: Buffer): string {
  const at = 16 + 4 + 1 + 4 + 1;
  return message.toString('latin1', at, message.indexOf(0, at));
}
