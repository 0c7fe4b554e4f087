/** The operators' listener of a test gateway, with its console. */
import type { RunningServer } from '../../core/http/index.ts';
import { startOps, type OpsConfig, type RunReplay } from '../../core/console/index.ts';
import { createConsoleDeps } from '../../workers/console/create-console-deps.ts';
import type { TestGateway } from './start-gateway.ts';

export type SingleSignOn = NonNullable<OpsConfig['singleSignOn']>;

export async function startConsole(
  { gateway, run, url, metrics }: TestGateway,
  singleSignOn?: SingleSignOn,
  runReplay: RunReplay = async () => Promise.reject(new Error('there is no candidate')),
  trustedProxies = 0,
): Promise<RunningServer> {
  const { connection, database, config, httpDeps } = gateway;
  const { log } = httpDeps;
  return startOps({
    connection,
    database,
    console: createConsoleDeps(gateway, {
      run,
      rereading: { read: async () => ({ refused: 'no such route' }) },
      runReplay,
      log,
    }),
    config: {
      host: '127.0.0.1',
      port: 0,
      keylessLoopbackMetrics: true,
      trustedProxies,
      singleSignOn,
      publicUrl: url,
      hostName: 'here',
      trafficEveryMs: 50,
      adapters: Object.keys(config.adapters),
    },
    host: () => ({ parts: {}, warnings: [] }),
    gather: async () => ({ present: [], past: [] }),
    metrics,
    log,
  });
}
