/** The operators' listener. It has its own process, so that its requests never delay the API and the workers. */
import * as v from 'valibot';
import { createRereading } from '../core/engine/callbacks/reread.ts';
import { createGateway } from '../core/gateway.ts';
import { createMetrics } from '../core/base/metrics/index.ts';
import { createReplayRunner, startOps } from '../core/console/index.ts';
import { runChild } from './supervisor/processes/child-process.ts';
import { createConsoleDeps } from './console/create-console-deps.ts';
import { OpsOptions } from './supervisor/processes/messages.ts';
import { createMetricsGatherer } from './supervisor/processes/metrics-gatherer.ts';
import { seriesOf } from './supervisor/processes/process-names.ts';
import { createWorkNotifier } from './supervisor/processes/work-notifier.ts';

/** Part of the grace period that is reserved for closing the database. */
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
    console: createConsoleDeps(gateway, {
      run: options.run,
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
      if (message.type === 'adapterStates') gateway.providers.pollStates();
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
