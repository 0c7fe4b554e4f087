/** The API: HTTP in front of the domain. */
import { runChild } from './supervisor/child-process.ts';
import { createWorkNotifier } from './supervisor/work-notifier.ts';
import { createDatabaseProbe } from '../core/documents/database-probe.ts';
import { createGateway } from '../core/gateway.ts';
import { createHostCheck } from '../core/providers/index.ts';
import { createApp, startServer } from '../core/http/index.ts';
import { createSampledLog } from '../core/sampled-log.ts';

/** Of the time it is given to stop, for the connection to the database; requests under way have all the rest. */
const closingMs = 300;

runChild(async ({ setup, log, send }) => {
  const { run, name } = setup;
  let workers = 0;
  const notifyWorkers = createWorkNotifier((work) => send({ type: 'work', work }));
  const gateway = await createGateway({ ...run, log, worker: name, notifyWorkers });
  const probe = createDatabaseProbe(async () => gateway.isUp(), log);
  const hosts = createHostCheck({
    registry: gateway.providers.registry,
    liveKeys: run.config.keys.liveKeys,
    now: Date.now,
  });
  const health = {
    isAnswering: () => probe.isAnswering,
    onSilence: (listener: () => void) => probe.onSilence(listener),
    async ready() {
      const parts = { database: (await probe.check()) ? 'up' : 'down', workers: workers > 0 ? 'up' : 'down' };
      return { ok: Object.values(parts).every((part) => part === 'up'), parts, warnings: hosts.warnings() };
    },
  };
  const { host, port } = run.config.server;
  const { publicUrl } = gateway.httpDeps.config;
  const dropped = createSampledLog(log);
  const onUnknownProxy = (): void => {
    log.warn('a request carries X-Forwarded-For, and server.trustedProxies is 0: see config/README.md');
    send({ type: 'unknownProxy' });
  };
  const server = await startServer(createApp({ ...gateway.httpDeps, health, onUnknownProxy }), {
    host,
    port,
    publicUrl,
    connections: { ...run.config.http, trustedProxies: run.config.server.trustedProxies },
    onDropped: () => dropped.warn('connections', {}, 'a connection was closed: there are too many'),
  });

  return {
    receive(message) {
      if (message.type === 'workers') workers = message.up;
    },
    async stop(graceMs) {
      await server.close(Math.max(graceMs - closingMs, graceMs / 2));
      probe.stop();
      await gateway.close();
    },
  };
});
