/** The operators' listener, in a process of its own: whatever is asked of it, the API and the workers do not wait for it. */
import * as v from 'valibot';
import { createRereading } from '../core/engine/callbacks/reread.ts';
import { createGateway } from '../core/gateway.ts';
import { createMetrics } from '../core/base/metrics/index.ts';
import { startOps } from '../core/console/index.ts';
import { runChild } from './supervisor/child-process.ts';
import { consoleOf } from './supervisor/console-of.ts';
import { OpsOptions } from './supervisor/messages.ts';
import { createMetricsGatherer } from './supervisor/metrics-gatherer.ts';
import { createReplayRunner } from './supervisor/run-replay.ts';
import { seriesOf } from './supervisor/process-names.ts';
import { createWorkNotifier } from './supervisor/work-notifier.ts';

/** Of the time it is given to stop, for the connection to the database. */
const closingMs = 300;

runChild(async ({ options, log, send }) => {
  const { config } = options.run;
  const { port, hasApis, hasWorkers } = v.parse(OpsOptions, options.extra);
  let up = { apis: 0, workers: 0 };
  let problems: readonly string[] = [];
  let warnings: readonly string[] = [];
  const { host, keylessLoopbackMetrics, trustedProxies, singleSignOn } = config.ops;
  const { publicUrl } = config.server;
  const metrics = createMetrics({ process: seriesOf(options.name) });
  const notifyWorkers = createWorkNotifier((work) => send({ type: 'work', work }));
  const gateway = await createGateway({ ...options.run, log, worker: options.name, metrics, notifyWorkers }, 'request');
  const { connection, database } = gateway;
  const gatherer = createMetricsGatherer(send);
  const rereading = createRereading({
    registry: gateway.providers.registry,
    config: config.provider,
    publicUrl,
    callbackSandbox: !config.keys.liveKeys,
  });
  const server = await startOps({
    connection,
    database,
    console: consoleOf(gateway, {
      isProduction: options.run.isProduction,
      rereading,
      runReplay: createReplayRunner(options.run.root),
      log,
    }),
    config: {
      host,
      port,
      keylessLoopbackMetrics,
      trustedProxies,
      singleSignOn,
      publicUrl,
      adapters: Object.keys(config.adapters),
    },
    gather: async (own) => gatherer.gather(own),
    host: () => ({
      parts: {
        ...(hasApis && { api: up.apis > 0 ? 'up' : 'down' }),
        ...(hasWorkers && { workers: up.workers > 0 ? 'up' : 'down' }),
        ...(problems.length > 0 && { host: 'down' }),
      },
      warnings: [...problems, ...warnings],
    }),
    metrics,
    log,
  });

  return {
    receive(message) {
      if (message.type === 'gathered') gatherer.receive(message);
      if (message.type === 'up') up = message;
      if (message.type === 'host') ({ problems, warnings } = message);
    },
    async stop(graceMs) {
      await server.close(Math.max(graceMs - closingMs, graceMs / 2));
      rereading.close();
      await gateway.close();
    },
  };
});
