/**
 * A worker that is killed just before the n-th message that may change something outside it, counted from its first
 * work.
 */
import pino from 'pino';
import { createGateway } from '../../core/gateway.ts';
import { createMetrics } from '../../core/base/metrics/index.ts';
import type { RunConfig } from '../../core/base/run-config.ts';
import { deliverNotifications } from '../../workers/jobs/deliver-notifications.ts';
import { drainCallbacks } from '../../workers/jobs/drain-callbacks.ts';
import { reconcile } from '../../workers/jobs/reconcile.ts';
import { relayOutbox } from '../../workers/jobs/relay-outbox.ts';
import { killBefore } from './kill-before.ts';

interface Order {
  readonly run: RunConfig;
  /** Port of the database. Messages to any other port are calls to a provider or a merchant. */
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
    metrics: createMetrics(),
    notifyWorkers: () => undefined,
  });
  const changes = killBefore(killAt, port);
  const { signal } = new AbortController();
  for (const job of [reconcile, drainCallbacks, relayOutbox, deliverNotifications]) await job.run(gateway, signal);
  process.send?.({ changes: changes() });
  process.exit(0);
}
