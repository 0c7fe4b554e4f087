/** The operators' listener, in a process of its own: whatever is asked of it, the API and the workers do not wait for it. */
import * as v from 'valibot';
import { createRereading } from '../core/engine/callbacks/reread.ts';
import { createGateway } from '../core/gateway.ts';
import { createMetrics } from '../core/base/metrics/index.ts';
import { startOps } from '../core/console/index.ts';
import { runChild } from './supervisor/child-process.ts';
import { consoleOf } from './supervisor/console-of.ts';
import { createGathering } from './supervisor/gathering.ts';
import { createReplayRunner } from './supervisor/run-replay.ts';
import { OpsExtra } from './supervisor/ops-extra.ts';
import { seriesOf } from './supervisor/process-names.ts';
import { createWorkNotifier } from './supervisor/work-notifier.ts';

/** Of the time it is given to stop, for the connection to the database. */
const closingMs = 300;

runChild(async ({ setup, log, send }) => {
  const { config } = setup.run;
  const { port, hasApis, hasWorkers } = v.parse(OpsExtra, setup.extra);
  let up = { apis: 0, workers: 0 };
  let problems: readonly string[] = [];
  let warnings: readonly string[] = [];
  const { host, keylessLoopbackMetrics, trustedProxies, singleSignOn } = config.ops;
  const { publicUrl } = config.server;
  const metrics = createMetrics({ process: seriesOf(setup.name) });
  const notifyWorkers = createWorkNotifier((work) => send({ type: 'work', work }));
  const gateway = await createGateway({ ...setup.run, log, worker: setup.name, metrics, notifyWorkers }, 'request');
  const { connection, database } = gateway;
  const gathering = createGathering(send);
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
      isProduction: setup.run.isProduction,
      rereading,
      runReplay: createReplayRunner(setup.run.root),
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
    gather: async (own) => gathering.gather(own),
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
      if (message.type === 'gathered') gathering.receive(message);
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
