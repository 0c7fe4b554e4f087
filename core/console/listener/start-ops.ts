/** The operators' listener of a host: what it is made of, and its start and end. */
import { hostname } from 'node:os';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { alarmKinds } from '../../engine/alarms/index.ts';
import { countOpenAttempts, readBacklog, readWaiting, type Backlog } from '../../database/backlog.ts';
import type { Database } from '../../database/connect.ts';
import { createDatabaseProbe } from '../../database/database-probe.ts';
import { hostModel } from '../../database/collections/host.ts';
import { errorKinds } from '../../base/errors.ts';
import { startServer, type Health, type RunningServer } from '../../http/index.ts';
import { jobNames } from '../../engine/jobs/index.ts';
import type { Gathered, Metrics } from '../../base/metrics/index.ts';
import { SECOND } from '../../base/async/time.ts';
import { createBacklogGauges } from './backlog-gauges.ts';
import type { ConsoleDeps } from '../deps.ts';
import { createCachedRead, createCachedReads } from '../kit/cached-read.ts';
import type { SingleSignOnConfig } from '../sign-in/single-sign-on.ts';
import { createOpsApp } from './create-app.ts';
import { createScrape } from './create-scrape.ts';
import { recordTraffic, readTraffic } from './traffic.ts';

export interface OpsDeps {
  readonly connection: Connection;
  readonly database: Pick<Database, 'isUp' | 'isWorking' | 'onDoubt'>;
  /** What the console shows and does. */
  readonly console: Omit<ConsoleDeps, 'attemptsOpen' | 'backlog' | 'hosts' | 'now' | 'singleSignOn' | 'traffic'>;
  readonly config: OpsConfig;
  /** The parts of this host that must work, a word each, and what its operator should know. */
  readonly host: () => HostParts;
  /** What the other processes of the host counted; takes a snapshot of this one. */
  readonly gather: (own: string) => Promise<Gathered>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface HostParts {
  readonly parts: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

export interface OpsConfig {
  readonly host: string;
  readonly port: number;
  readonly keylessLoopbackMetrics: boolean;
  /** Proxies in front, one behind another, whose `X-Forwarded-For` entries are believed. */
  readonly trustedProxies: number;
  /** Absent: a proxy's word is not asked for. */
  readonly singleSignOn?: SingleSignOnConfig | undefined;
  /** Names this host where it says what it did; absent: as the machine is called. */
  readonly hostName?: string;
  /** How often it says so; absent: every 10 s. */
  readonly trafficEveryMs?: number;
  /** Where errors are explained. */
  readonly publicUrl: string;
  /** Whose open attempts are boundedCount, and whose counters begin at 0. */
  readonly adapters: readonly string[];
}

/** However many look at the console, what all pages show is read once in so long. */
const cacheMs = 3 * SECOND;

/** Few connect: a client with many open connections is no scraper. */
const connections = {
  maxConnections: 200,
  maxConnectionsPerAddress: 50,
  maxRequestsPerConnection: 100_000,
} as const;

/** Rejects with a `ListenError` where it cannot listen. */
export async function startOps(deps: OpsDeps): Promise<RunningServer> {
  const { connection, database, config, gather, metrics, log } = deps;
  const { host, port, publicUrl, adapters, keylessLoopbackMetrics, trustedProxies } = config;
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
  metrics.onSnapshot(() => metrics.databaseUp.set(probe.isUp ? 1 : 0));
  const read = async (): Promise<Backlog> => readBacklog(connection, adapters);
  const backlog = createBacklogGauges({ read, metrics, log });
  const scrape = createScrape({ gather, backlog, metrics, log });
  const { adapterStates } = deps.console;
  const console: ConsoleDeps = {
    ...deps.console,
    adapterStates: { ...adapterStates, openAmounts: createCachedReads(adapterStates.openAmounts, cacheMs) },
    backlog: createCachedRead(async () => readWaiting(connection), cacheMs),
    attemptsOpen: createCachedRead(async () => countOpenAttempts(connection, adapters), cacheMs),
    traffic: createCachedRead(async () => readTraffic(connection, now()), cacheMs),
    hosts: createCachedRead(
      async () => hostModel(connection).find().sort({ hostname: 1, startedAt: 1 }).lean(),
      cacheMs,
    ),
    singleSignOn: config.singleSignOn,
    now,
  };
  const health: Pick<Health, 'ready'> = {
    async ready() {
      const { parts: ofHost, warnings } = deps.host();
      const parts = { database: (await probe.check()) ? 'up' : 'down', ...ofHost };
      return { ok: Object.values(parts).every((part) => part === 'up'), parts, warnings };
    },
  };
  const { operators } = console;
  const listens = { keylessLoopbackMetrics, trustedProxies, publicUrl };
  const app = createOpsApp({ ...listens, console, health, operators, scrape, now, metrics, log });
  const names = { port: 'OPS_PORT', host: 'OPS_HOST' };
  const { hostName = hostname(), trafficEveryMs } = config;
  const server = await startServer(app, {
    host,
    port,
    publicUrl,
    connections: { ...connections, trustedProxies },
    names,
  });
  const traffic = recordTraffic({
    connection,
    host: hostName,
    gather,
    metrics,
    now,
    log,
    ...(trafficEveryMs !== undefined && { everyMs: trafficEveryMs }),
  });
  return {
    port: server.port,
    async close(graceMs) {
      await server.close(graceMs);
      traffic.stop();
      probe.stop();
    },
  };
}
