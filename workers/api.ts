/** A process of the API: serves HTTP. All API processes of a host share its port. */
import cluster from 'node:cluster';
import { hostname } from 'node:os';
import * as v from 'valibot';
import { runChild } from './supervisor/processes/child-process.ts';
import { seriesOf } from './supervisor/processes/process-names.ts';
import { createRowRelease } from './supervisor/processes/dead-process-cleanup.ts';
import { ApiOptions } from './supervisor/processes/messages.ts';
import { createSharedCounts } from './supervisor/processes/shared-counts.ts';
import { createWorkNotifier } from './supervisor/processes/work-notifier.ts';
import { createDatabaseProbe } from '../core/database/database-probe.ts';
import { createGateway } from '../core/gateway.ts';
import { createMetrics } from '../core/base/metrics/index.ts';
import { createHostCheck } from '../core/engine/providers/index.ts';
import { createApp } from '../core/app.ts';
import { shareLimits, startServer } from '../core/http/index.ts';
import { createSampledLog } from '../core/base/log/sampled-log.ts';

/** Part of the grace period that is reserved for closing the database. Requests in progress have the rest. */
const closingMs = 300;

const reasonsToClose = {
  connections: 'too many are open',
  pipelining: 'it has too many requests without an answer',
} as const;

// Without this, Node would exit a clustered process immediately when the supervisor dies. `runChild` gives its requests
// time.
if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;

runChild(async ({ options, log, send }) => {
  const { run, name } = options;
  const { hasWorkers } = v.parse(ApiOptions, options.extra);
  let workers = 0;
  let problems: readonly string[] = [];
  let warnings: readonly string[] = [];
  const notifyWorkers = createWorkNotifier((work) => send({ type: 'work', work }));
  const counts = createSharedCounts(send, () => new Date());
  const metrics = createMetrics({ process: seriesOf(name) });
  const { countOne } = counts;
  const gateway = await createGateway({ ...run, log, worker: name, metrics, notifyWorkers, countOne }, 'request');
  const release = createRowRelease({ releaseWorker: async (dead) => gateway.releaseWorker(dead), send, log });
  const onSlow = (ms: number): void =>
    gateway.alarms.raise('database_slow', { type: 'host', id: hostname() }, `${ms} ms or more, five times in a row`);
  const onAnswer = (seconds: number): void => metrics.databaseRoundTripSeconds.observe(seconds);
  const probe = createDatabaseProbe(gateway.database, log, { onSlow, onAnswer });
  const hosts = createHostCheck({
    registry: gateway.providers.registry,
    liveKeys: run.config.keys.liveKeys,
    now: Date.now,
  });
  const health = {
    isDatabaseUp: () => probe.isUpForRequest(),
    onDatabaseLost: (listener: () => void) => probe.onDatabaseLost(listener),
    isFenced: () => problems.length > 0,
    async ready() {
      const parts = {
        database: (await probe.check()) ? 'up' : 'down',
        ...(hasWorkers && { workers: workers > 0 ? 'up' : 'down' }),
        ...(problems.length > 0 && { host: 'down' }),
      };
      const ok = Object.values(parts).every((part) => part === 'up');
      return { ok, parts, warnings: [...problems, ...warnings, ...hosts.warnings()] };
    },
  };
  const { host, port, processes, trustedProxies } = run.config.server;
  const limits = shareLimits(run.config.http, processes);
  const { bodyBudgetBytes } = limits;
  const config = { ...gateway.httpDeps.config, bodyBudgetBytes };
  const dropped = createSampledLog(log);
  const onUnknownProxy = (): void => {
    log.warn('a request has X-Forwarded-For, but server.trustedProxies is 0: see config/README.md');
    send({ type: 'unknownProxy' });
  };
  const server = await startServer(createApp({ ...gateway.httpDeps, config, health, onUnknownProxy }), {
    host,
    port,
    publicUrl: config.publicUrl,
    connections: { ...limits, trustedProxies },
    onDropped: (why) => dropped.warn(why, {}, `a connection was closed because ${reasonsToClose[why]}`),
  });

  return {
    metrics,
    receive(message) {
      if (message.type === 'up') ({ workers } = message);
      if (message.type === 'host') ({ problems, warnings } = message);
      if (message.type === 'adapterStates') gateway.providers.pollStates();
      if (message.type === 'counted') counts.receive(message);
      if (message.type === 'release') void release(message.worker);
    },
    async stop(graceMs) {
      await server.close(Math.max(graceMs - closingMs, graceMs / 2));
      probe.stop();
      await gateway.close();
    },
  };
});
