/** A worker that is killed right before its n-th message to the database, counted from when it begins to work. */
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
  readonly port: number;
  readonly killAt: number;
}

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
  let messages = 0;
  // Heartbeats of the driver go over connections of their own; they only make the moment less even.
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the socket that it is called for
  const write: (this: Socket, ...args: never[]) => boolean = Socket.prototype.write;
  Socket.prototype.write = function (this: Socket, ...args: never[]): boolean {
    if (this.remotePort === port) {
      messages += 1;
      if (messages === killAt) process.kill(process.pid, 'SIGKILL');
    }
    return write.apply(this, args);
  };
  const { signal } = new AbortController();
  for (const job of [reconcile, drainCallbacks, relayOutbox, deliverNotifications]) await job.run(gateway, signal);
  process.send?.({ messages });
  process.exit(0);
}
