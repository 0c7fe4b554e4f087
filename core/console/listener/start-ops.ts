/** Creates, starts and stops the operators' listener of a host. */
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
import { DAY, MINUTE, SECOND } from '../../base/async/time.ts';
import { createReadAttention, readVolumes } from '../../engine/payments/index.ts';
import { endpointModel } from '../../database/collections/endpoint.ts';
import { createBacklogGauges } from './backlog-gauges.ts';
import type { ConsoleDeps, FailingEndpoint } from '../deps.ts';
import { createCachedRead, createCachedReads } from '../kit/cached-read.ts';
import type { SingleSignOnConfig } from '../sign-in/single-sign-on.ts';
import { createOpsApp } from './create-app.ts';
import { createScrape } from './create-scrape.ts';
import { recordTraffic, readTraffic } from './traffic.ts';

/** Collaborators of the console that this listener makes, with a cache. */
type ReadHere =
  | 'attemptsOpen'
  | 'attention'
  | 'backlog'
  | 'failingEndpoints'
  | 'hosts'
  | 'now'
  | 'singleSignOn'
  | 'traffic'
  | 'volumes';

export interface OpsDeps {
  readonly connection: Connection;
  readonly database: Pick<Database, 'isUp' | 'isWorking' | 'onDoubt'>;
  /** Collaborators of the console. */
  readonly console: Omit<ConsoleDeps, ReadHere>;
  readonly config: OpsConfig;
  /** The parts of this host that must work, with the state of each, and warnings for its operator. */
  readonly host: () => HostParts;
  /** Collects the metrics of the other processes of the host. Takes a snapshot of this process. */
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
  /** The number of proxies in a row whose `X-Forwarded-For` entries are trusted. */
  readonly trustedProxies: number;
  /** Absent: single sign-on is off. */
  readonly singleSignOn?: SingleSignOnConfig | undefined;
  /** The name of this host in the recorded counts. Absent: the name of the machine. */
  readonly hostName?: string;
  /** How often counts are recorded. Absent: every 20 s. */
  readonly trafficEveryMs?: number;
  /** The base of the addresses that explain errors. */
  readonly publicUrl: string;
  /** The adapters whose open attempts are counted, and whose counters start at 0. */
  readonly adapters: readonly string[];
}

/** Data that all pages show is read at most once in this time, for any number of readers. */
const cacheMs = 3 * SECOND;
/** The same for reads of more documents. */
const slowCacheMs = 10 * SECOND;
/** A week and the week before it. */
const shownVolumesMs = 14 * DAY;
const failingForMs = 15 * MINUTE;
const failingAtMost = 100;

/** Few clients connect. A client with many open connections is not a scraper. */
const connections = {
  maxConnections: 200,
  maxConnectionsPerAddress: 50,
  maxRequestsPerConnection: 100_000,
} as const;

/** Rejects with a `ListenError` if it cannot listen. */
export async function startOps(deps: OpsDeps): Promise<RunningServer> {
  const { connection, database, config, gather, metrics, log } = deps;
  const { host, port, publicUrl, adapters, keylessLoopbackMetrics, trustedProxies } = config;
  const now = (): Date => new Date();
  // Only here, once per host: a scrape adds up the counters of all processes.
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
    attention: createCachedRead(createReadAttention(connection, now, deps.console.noRouteOf), slowCacheMs),
    failingEndpoints: createCachedRead(async () => readFailingEndpoints(connection, now()), slowCacheMs),
    volumes: createCachedRead(
      async () => readVolumes({ connection, now }, new Date(now().getTime() - shownVolumesMs)),
      slowCacheMs,
    ),
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
  const app = createOpsApp({
    ...listens,
    console,
    health,
    operators,
    scrape,
    now,
    metrics,
    log,
  });
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

async function readFailingEndpoints(connection: Connection, now: Date): Promise<readonly FailingEndpoint[]> {
  const which = { failingSince: { $lt: new Date(now.getTime() - failingForMs) }, disabledAt: { $exists: false } };
  return endpointModel(connection).find(which).limit(failingAtMost).lean<FailingEndpoint[]>();
}
