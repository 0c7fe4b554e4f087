/** The service, or one role of it: owns mongod, ports and secrets, and supervises the API, the workers and the sandboxes. */
import { hostname } from 'node:os';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import * as v from 'valibot';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { CreatedKey } from '../../core/engine/access/index.ts';
import type { Alarms } from '../../core/engine/alarms/index.ts';
import { makeCollections } from '../../core/database/collections.ts';
import { fileStates } from '../../core/engine/providers/states/adapter-states.ts';
import { allWork, createRecurringJobs, type RecurringJobs, type Work } from '../../core/engine/jobs/index.ts';
import type { Encrypter } from '../../core/base/crypto/encryption.ts';
import { createLog, reopenLogs } from '../../core/base/log/log.ts';
import { createMetrics } from '../../core/base/metrics/index.ts';
import { openEncrypter, WrongKeysError } from '../../core/engine/secrets/index.ts';
import { createAdapterStateStore } from '../../core/engine/providers/states/adapter-states.ts';
import { checkPort } from './check-port.ts';
import { describeStarted, describeWorkers } from './describe-started.ts';
import { hasMailCatcher, ownSandboxes } from './choose-ports.ts';
import { killProcess, type KeptState, type RunningState } from './data-folder/index.ts';
import { makeFirstKey } from './first-key.ts';
import { createDeferred } from './deferred.ts';
import { jobs } from '../jobs/index.ts';
import { SECOND } from '../../core/base/async/time.ts';
import { superviseProcess, type SupervisedProcess } from './supervise-process.ts';
import type { ChildOptions } from './messages.ts';
import {
  createHostAlarms,
  createHosts,
  followWakeUps,
  createWakeUpSender,
  identify,
  type HostAlarms,
  type Hosts,
} from './hosts/index.ts';
import { openOwnDatabase, type OwnDatabase } from './dev/own-database.ts';
import { mailCatcher } from './dev/mail-catcher.ts';
import { createPool, type Pool } from './pool.ts';
import { createAlarmReporting, type AlarmReporting } from './report-alarms.ts';
import { rolesOf, type Role } from './roles.ts';
import { createLogRotation } from './rotate-log.ts';
import { toApiUrl, toLogTarget, toRunConfig } from './run-config.ts';
import type { RunningFile } from './running-state.ts';
import { StartError } from './start-error.ts';
import { takeFolder, type TakenFolder } from './take-folder.ts';
import { watchConfig, type Watching } from './watch-config.ts';
import { SandboxReports, type SandboxReport } from './dev/sandboxes.ts';

export interface ServiceOptions {
  readonly role: Role;
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  /** Takes a line for the person at the screen. */
  readonly print: (line: string) => void;
  /** Takes what is done meanwhile; by default the same. */
  readonly report?: (line: string) => void;
}

export interface Started {
  readonly apiUrl: string;
  readonly mongodbUri: string;
  readonly sandboxes: readonly SandboxReport[];
  /** Of the first start. */
  readonly firstKey: CreatedKey | undefined;
}

export interface Service {
  /**
   * Once everything serves. Rejects with an error for the person at the screen, or, where `stop` came first, with a
   * StoppedError; either way nothing is left running then.
   */
  readonly started: Promise<Started>;
  /** Ends everything in order, within `server.shutdownSeconds` and 2 s; also while it starts. */
  stop(): Promise<void>;
  /** The log file was put aside by somebody: every process opens it anew. */
  reopenLogs(): void;
  /** Hastens a stop: what has not ended is killed. */
  kill(): void;
}

/** No failure: the service was stopped while it was starting. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** What runs, as far as the start has come. */
interface Parts {
  unlock?: (() => Promise<void>) | undefined;
  file?: RunningFile;
  sandboxes?: SupervisedProcess | undefined;
  pool?: Pool;
  database?: OwnDatabase;
  recurringJobs?: RecurringJobs;
  hosts?: Hosts;
  alarmReporting?: AlarmReporting;
  hostAlarms?: HostAlarms;
  wakeElsewhere?: (work: Work) => void;
  /** Ends hearing the wake-ups of other hosts. */
  unfollow?: () => void;
  asserting?: NodeJS.Timeout;
  watching?: Watching;
  /** Writes down which processes run now. */
  note?: () => Promise<void>;
}

interface Joining {
  readonly pool: Pool;
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly secrets: TakenFolder['secrets'];
  readonly alarms: Alarms;
  /** Names the supervisor in the leases of the alarms that it reports. */
  readonly reporter: string;
}

const sandboxScript = new URL('./dev/sandboxes-process.js', import.meta.url);
const assertMs = 10 * SECOND;
/** What mongod takes to end, as a rule. */
const mongodMs = 1500;

export function startService({ role, loaded, env, print, report = print }: ServiceOptions): Service {
  const { config, isProduction } = loaded;
  const logTo = toLogTarget(loaded);
  const apiUrl = toApiUrl(config.server);
  const { runsApi, runsWorkers, runsSandboxes } = rolesOf[role];
  const workers = runsWorkers ? config.workers.count : undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const parts: Parts = {};
  let stopped: Promise<void> | undefined;

  const starting = start();
  const started = starting.catch(async (error: unknown) => {
    const wasStopped = stopped !== undefined;
    if (!wasStopped) await parts.alarmReporting?.reportLast();
    await stop();
    throw wasStopped ? new StoppedError('the service was stopped while it was starting', { cause: error }) : error;
  });
  started.catch(() => undefined); // A caller that only stops it need not listen.

  async function start(): Promise<Started> {
    if (role === 'mongod' && config.database.uri !== undefined) {
      throw new StartError(['paywright mongod starts a MongoDB where config names none: unset MONGODB_URI.']);
    }
    const taken = await takeFolder({ role, loaded, signal, onLocked: (unlock) => (parts.unlock = unlock) });
    parts.file = taken.file;
    if (runsApi) await checkPort(config.server);
    const log = createLog({ level: config.log.level, name: 'supervisor', destination: logTo });
    signal.throwIfAborted();
    return role === 'mongod' ? startDatabase(taken, log) : startProcesses(taken, log);
  }

  async function startDatabase({ ports, uri }: TakenFolder, log: Logger): Promise<Started> {
    const { uri: mongodbUri } = await openDatabase(ports, uri, log);
    await noteRunning({ mongodbUri, sandboxes: {} }, () => []);
    for (const line of ['paywright api and paywright worker find it on this data folder.', '', 'Ready. Ctrl-C stops.'])
      print(line);
    return { apiUrl, mongodbUri, sandboxes: [], firstKey: undefined };
  }

  async function startProcesses(taken: TakenFolder, log: Logger): Promise<Started> {
    const { ports, opsPort, secrets, state, orphans } = taken;
    const opsUrl = opsPort === undefined ? undefined : toApiUrl({ host: config.ops.host, port: opsPort });
    const metrics = createMetrics({ process: 'supervisor' });
    // Processes load their code while mongod starts, and get their setup once it is up.
    const databaseUp = createDeferred<string>();
    const sandboxesUp = createDeferred<void>();
    const setup = async (name: string): Promise<ChildOptions> => {
      const uri = await databaseUp.promise;
      return { run: toRunConfig(loaded, { ...secrets, uri, ports: ports.sandboxes }), name, log: logTo };
    };
    let hasUnknownProxy = false;
    const note = (): void => {
      parts.note?.().catch((error: unknown) => log.warn({ err: error }, 'the processes were not written down'));
    };
    parts.sandboxes = runsSandboxes ? superviseSandboxes(setup, ports, log) : undefined;
    const pool = createPool({
      apis: runsApi ? config.server.processes : 0,
      workers: workers ?? 0,
      opsPort,
      childOptions: async (name) => sandboxesUp.promise.then(async () => setup(name)),
      recurringJobs: () => parts.recurringJobs,
      wakeElsewhere: (work) => parts.wakeElsewhere?.(work),
      metrics,
      log,
      onChange() {
        note();
        parts.hosts?.renew();
      },
      onFailed: (why, name) => parts.hostAlarms?.processFailed(why, name),
      onUnknownProxy() {
        hasUnknownProxy = true;
        note();
      },
    });
    parts.pool = pool;

    const { connection, uri: mongodbUri } = await openDatabase(ports, taken.uri, log);
    // Before anybody else would, each with little time for it.
    await makeCollections(mongodbUri, log);
    const { config: complete } = toRunConfig(loaded, { ...secrets, uri: mongodbUri, ports: ports.sandboxes });
    parts.alarmReporting = await createAlarmReporting({ connection, config: complete, metrics, log });
    const { alarms, worker: reporter } = parts.alarmReporting;
    const encrypter = await openEncrypter(connection, secrets.encryptionKeys).catch((error: unknown) => {
      if (error instanceof WrongKeysError) alarms.raise('key_unknown', { type: 'host', id: hostname() }, error.message);
      throw error;
    });
    signal.throwIfAborted();
    await joinHosts({ pool, connection, encrypter, secrets, alarms, reporter }, log);
    parts.alarmReporting.begin();
    const recurringJobs = createRecurringJobs({ connection, jobs, now: () => new Date() });
    parts.recurringJobs = recurringJobs;
    await recurringJobs.assert();
    databaseUp.resolve(mongodbUri);
    const adapterStates = createAdapterStateStore(connection, () => new Date());
    await adapterStates.applyFile(fileStates(loaded.config));
    const sandboxes = v.parse(SandboxReports, (await parts.sandboxes?.started) ?? []);
    sandboxesUp.resolve();
    await pool.started;
    signal.throwIfAborted();

    void pool.release(orphans);
    parts.watching = watchConfig({ loaded, env, adapterStates, print, log });
    const { maxMegabytes, keepDays } = config.log;
    const rotation =
      logTo.file === undefined
        ? undefined
        : createLogRotation({ file: logTo.file, maxBytes: maxMegabytes * 2 ** 20, keepDays, reopen: reopenAll, log });
    parts.asserting = setInterval(() => {
      void rotation?.check(new Date());
      pool.retryReleases();
      recurringJobs.assert().catch((error: unknown) => log.warn({ err: error }, 'recurring jobs were not asserted'));
    }, assertMs);
    const isFirst = runsApi && !state.hasFirstKey && !isProduction;
    const firstKey = isFirst ? await makeFirstKey({ ...secrets, connection, config, log }) : undefined;
    if (runsApi) await parts.file?.save({ hasFirstKey: true });

    const urls = Object.fromEntries(sandboxes.map(({ name, url }) => [name, url]));
    await noteRunning(
      { mongodbUri, sandboxes: urls, ...(opsUrl !== undefined && { opsUrl }) },
      () => {
        const { name = '', pid } = parts.sandboxes ?? {};
        return [...(pid === undefined ? [] : [{ name, pid }]), ...pool.running()];
      },
      () => hasUnknownProxy,
    );
    log.info({ apiUrl, role, workers }, 'the service is ready');
    const lines = runsApi
      ? describeStarted({ apiUrl, opsUrl, workers, sandboxes, log: logTo, firstKey, isProduction })
      : describeWorkers(config.workers.count, opsUrl, logTo);
    for (const line of lines) print(line);
    return { apiUrl, mongodbUri, sandboxes, firstKey };
  }

  /** Throws a StartError where this host does not fit the others. */
  async function joinHosts(joining: Joining, log: Logger): Promise<void> {
    const { pool, connection, encrypter, secrets, alarms, reporter } = joining;
    const { encryptionKeys, tokenSecrets } = secrets;
    const identity = identify({ loaded, encrypter, tokenSecrets });
    const hostAlarms = createHostAlarms(alarms, identity);
    const hosts = createHosts({
      connection,
      identity,
      present: () => ({
        workers: pool.workersUp,
        processes: [...pool.running().map(({ name }) => name), reporter],
        processStates: pool.statuses(),
      }),
      checkKeys: async () => openEncrypter(connection, encryptionKeys),
      onDead: async (processes) => pool.release(processes),
      onWorkersLost: () => pool.notifyWorkers(allWork),
      onLook(found) {
        const { problems, warnings, workersElsewhere } = found;
        const isIdle = workers === undefined && workersElsewhere === 0;
        const idle = isIdle ? ['No host with workers is alive: what arrives is stored, and waits for one.'] : [];
        pool.reportHost({ type: 'host', problems: problems.map(({ text }) => text), warnings: [...warnings, ...idle] });
        hostAlarms.look(found);
      },
      onVersionsDiffer: (adapter, reason) =>
        alarms.raise('adapter_versions_differ', { type: 'adapter', id: adapter }, reason),
      log,
    });
    parts.hosts = hosts;
    parts.hostAlarms = hostAlarms;
    const problems = await hosts.start();
    if (problems.length > 0) throw new StartError(problems);
    parts.wakeElsewhere = createWakeUpSender(connection, () => hosts.nextWithWorkers(), log);
    // Where no worker here takes it, its sender looks for it again as soon as it notices that.
    const onWork = (work: readonly Work[]): void => {
      if (pool.workersUp > 0) pool.notifyWorkers(work);
    };
    if (runsWorkers) parts.unfollow = followWakeUps(connection, hosts.id, onWork, log);
  }

  async function openDatabase(ports: KeptState['ports'], uri: string | undefined, log: Logger): Promise<OwnDatabase> {
    const database = { ...config.database, uri };
    parts.database = await openOwnDatabase({ database, port: ports.mongod, env, report, log, signal });
    return parts.database;
  }

  /** From now on, whenever `parts.note` is called. */
  async function noteRunning(
    running: Pick<RunningState, 'mongodbUri' | 'sandboxes' | 'opsUrl'>,
    children: () => { readonly name: string; readonly pid: number }[],
    hasUnknownProxy = () => false,
  ): Promise<void> {
    parts.note = async () => {
      await parts.file?.note({ ...running, apiUrl, hasUnknownProxy: hasUnknownProxy() }, children());
    };
    await parts.note();
  }

  function superviseSandboxes(
    setup: (name: string) => Promise<ChildOptions>,
    ports: KeptState['ports'],
    log: Logger,
  ): SupervisedProcess | undefined {
    const names = [...ownSandboxes(config), ...(hasMailCatcher(config) ? [mailCatcher] : [])];
    const own = names.map((name) => [name, ports.sandboxes[name]]);
    if (own.length === 0) return undefined;
    const extra: unknown = Object.fromEntries(own);
    return superviseProcess({
      script: sandboxScript,
      title: 'The process of the sandboxes',
      newName: () => 'sandboxes',
      options: async (name) => ({ ...(await setup(name)), extra }),
      log,
    });
  }

  function reopenAll(): void {
    reopenLogs();
    parts.pool?.reopenLogs();
    parts.sandboxes?.send({ type: 'reopenLogs' });
  }

  async function stop(): Promise<void> {
    stopped ??= stopAll();
    return stopped;
  }

  async function stopAll(): Promise<void> {
    stopping.abort();
    const totalMs = config.server.shutdownSeconds * SECOND;
    const graceMs = Math.max(totalMs - mongodMs, totalMs / 2);
    const until = Date.now() + graceMs;
    clearInterval(parts.asserting);
    await parts.watching?.stop();
    await parts.pool?.stop(graceMs);
    parts.unfollow?.();
    await parts.sandboxes?.stop(Math.max(until - Date.now(), 0));
    await starting.catch(() => undefined); // `started` reports it.
    clearInterval(parts.asserting);
    await parts.watching?.stop();
    await parts.hosts?.stop();
    await parts.alarmReporting?.stop();
    await parts.database?.stop();
    await parts.file?.clear();
    await parts.unlock?.();
  }

  return {
    started,
    stop,
    reopenLogs: reopenAll,
    kill() {
      const { pool, sandboxes, database } = parts;
      const pids = [...(pool?.running().map(({ pid }) => pid) ?? []), sandboxes?.pid, database?.mongodPid];
      for (const pid of pids) if (pid) killProcess(pid);
    },
  };
}
