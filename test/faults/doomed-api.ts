/**
 * An API that is killed just before the n-th message that may change something outside it, counted from when it
 * receives n.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { createGateway } from '../../core/gateway.ts';
import { createApp } from '../../core/app.ts';
import { createMetrics } from '../../core/base/metrics/index.ts';
import type { RunConfig } from '../../core/base/run-config.ts';
import { adaptersAt } from '../explore/provider.ts';
import { killBefore } from './kill-before.ts';

export type ToDoomed =
  | { readonly begin: { readonly run: RunConfig; readonly providerPort: number } }
  | { readonly killAt: number }
  | { readonly end: true };

export type FromDoomed = { readonly url: string } | { readonly armed: true } | { readonly changes: number };

const report = (message: FromDoomed): void => void process.send?.(message);
let databasePort = 0;
let changes = (): number => 0;

process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToDoomed) => {
  if ('begin' in message) void serve(message.begin);
  else if ('killAt' in message) {
    changes = killBefore(message.killAt, databasePort);
    report({ armed: true });
  } else {
    report({ changes: changes() });
    process.disconnect();
  }
});

async function serve({ run, providerPort }: { readonly run: RunConfig; readonly providerPort: number }): Promise<void> {
  databasePort = Number(new URL(run.config.database.uri ?? '').port);
  const log = pino({ level: 'silent' });
  const notifyWorkers = (): void => undefined;
  const gateway = await createGateway({ ...run, log, worker: 'doomed', metrics: createMetrics(), notifyWorkers });
  gateway.providers.registry.replace([...adaptersAt(providerPort)]);
  const health = { ready: async () => ({ ok: true, parts: {} }) };
  const handle = createApp({ ...gateway.httpDeps, health }).callback();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  report({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
