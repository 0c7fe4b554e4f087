/** The operators' listener of a host: what it is made of, and its start and end. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { alarmKinds } from '../alarms/index.ts';
import { readBacklog, type Backlog } from '../documents/backlog.ts';
import type { Database } from '../documents/connect.ts';
import { createDatabaseProbe } from '../documents/database-probe.ts';
import { hostModel } from '../documents/host.ts';
import { errorKinds } from '../errors.ts';
import { startServer, type RunningServer } from '../http/index.ts';
import { jobNames } from '../jobs/index.ts';
import type { Gathered, Metrics } from '../metrics/index.ts';
import { createBacklogGauges } from './backlog-gauges.ts';
import type { ConsoleDeps } from './console/deps.ts';
import { createOpsApp } from './create-app.ts';
import { createScrape } from './create-scrape.ts';

export interface OpsSetup {
  readonly connection: Connection;
  readonly database: Pick<Database, 'isUp' | 'isWorking' | 'onDoubt'>;
  /** What the console shows and does. */
  readonly console: Omit<ConsoleDeps, 'backlog' | 'hosts' | 'now'>;
  readonly config: OpsConfig;
  /** What the other processes of the host counted; takes a snapshot of this one. */
  readonly gather: (own: string) => Promise<Gathered>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface OpsConfig {
  readonly host: string;
  readonly port: number;
  readonly keylessLoopbackMetrics: boolean;
  /** Where errors are explained. */
  readonly publicUrl: string;
  /** Whose open attempts are counted, and whose counters begin at 0. */
  readonly adapters: readonly string[];
}

/** Few connect: whoever holds many open connections is no scraper. */
const connections = {
  maxConnections: 200,
  maxConnectionsPerAddress: 50,
  maxRequestsPerConnection: 100_000,
  trustedProxies: 0,
} as const;

/** Rejects with a `ListenError` where it cannot listen. */
export async function startOps(setup: OpsSetup): Promise<RunningServer> {
  const { connection, database, config, gather, metrics, log } = setup;
  const { host, port, publicUrl, adapters, keylessLoopbackMetrics } = config;
  const now = (): Date => new Date();
  // Here, once for a host: a scrape adds up what its processes counted.
  metrics.startAtZero({
    provider: adapters,
    job: jobNames,
    kind: Object.keys(alarmKinds),
    code: Object.values(errorKinds).map(({ code }) => code),
  });
  const onAnswer = (seconds: number): void => metrics.databaseRoundTripSeconds.observe(seconds);
  const probe = createDatabaseProbe(database, log, { onAnswer });
  metrics.onSnapshot(() => metrics.databaseUp.set(probe.isAnswering ? 1 : 0));
  const read = async (): Promise<Backlog> => readBacklog(connection, adapters);
  const backlog = createBacklogGauges({ read, metrics, log });
  const scrape = createScrape({ gather, backlog, metrics, log });
  const hosts = async () => hostModel(connection).find().sort({ hostname: 1, startedAt: 1 }).lean();
  const console = { ...setup.console, backlog: read, hosts, now };
  const { operators } = console;
  const app = createOpsApp({ console, operators, keylessLoopbackMetrics, scrape, publicUrl, now, metrics, log });
  const names = { port: 'OPS_PORT', host: 'OPS_HOST' };
  const server = await startServer(app, { host, port, publicUrl, connections, names });
  return {
    port: server.port,
    async close(graceMs) {
      await server.close(graceMs);
      probe.stop();
    },
  };
}
