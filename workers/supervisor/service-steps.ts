/** The steps of a start, in order. `steps.ts` explains how they start, drain and stop. */
import { reopenLogs } from '../../core/base/log/log.ts';
import { createMetrics } from '../../core/base/metrics/index.ts';
import { SECOND } from '../../core/base/async/time.ts';
import { createRecurringJobs, type RecurringJobs } from '../../core/engine/jobs/index.ts';
import { createMigrations, describeProgress } from '../../core/engine/migrations/index.ts';
import { createAdapterStateStore, fileStates } from '../../core/engine/providers/states/adapter-states.ts';
import { jobs } from '../jobs/index.ts';
import { joinHosts, type JoinedHosts } from './hosts/index.ts';
import { toApiUrl } from './start/run-config.ts';
import type { Started, StepsOptions } from './service-options.ts';
import { createAnnouncementSteps } from './start/announcement-steps.ts';
import { createCommonSteps, createPreparationSteps } from './start/database-steps.ts';
import { forkProcesses } from './start/fork-processes.ts';
import { createStep, type Step, type StepWithValue } from './steps.ts';
import { startUpkeep } from './upkeep/start-upkeep.ts';
import { findUnknownMerchants } from '../../core/engine/access/index.ts';

export interface ServiceSteps {
  readonly steps: readonly Step[];
  /** The last step. */
  readonly announcement: StepWithValue<Started>;
  /** Reports the alarms that a failed start has raised. Never rejects. */
  reportLastAlarms(): Promise<void>;
  /** Every process opens its log file again. */
  reopenLogs(): void;
  /** The process ids of everything that the service has started. */
  pids(): readonly (number | undefined)[];
}

/** How long mongod usually takes to stop. */
const mongodMs = 1500;

/** The steps of `paywright mongod`: only MongoDB. */
export function createMongodSteps(options: StepsOptions): ServiceSteps {
  const { loaded, print } = options;
  const { folder, log, database } = createCommonSteps(options);
  const announcement = createStep({
    async start(): Promise<Started> {
      const { uri: mongodbUri } = database.value;
      const apiUrl = toApiUrl(loaded.config.server);
      await folder.value.file.note({ mongodbUri, apiUrl, sandboxes: {}, hasUnknownProxy: false }, []);
      print('paywright api and paywright worker on this data folder use this MongoDB.');
      for (const line of ['', 'Ready. Ctrl-C stops.']) print(line);
      return { apiUrl, mongodbUri, sandboxes: [], firstKey: undefined };
    },
  });
  return {
    steps: [folder, log, database, announcement],
    announcement,
    reportLastAlarms: async () => undefined,
    reopenLogs,
    pids: () => [database.current?.mongodPid],
  };
}

/** The steps of all other roles. */
export function createServiceSteps(options: StepsOptions): ServiceSteps {
  const { role, loaded, env, print } = options;
  const { config } = loaded;
  const metrics = createMetrics({ process: 'supervisor' });
  const common = createCommonSteps(options);
  const { folder, port, log, database } = common;
  const { collections, alarmReporting, encrypter } = createPreparationSteps(options, common, metrics);

  const processes = createStep({
    start: () =>
      forkProcesses({
        role,
        loaded,
        folder: folder.value,
        recurringJobs: () => recurringJobs.current,
        wakeElsewhere: (work) => hosts.current?.wakeElsewhere(work),
        metrics,
        log: log.value,
        onChange() {
          announced.noteProcesses();
          hosts.current?.renew();
        },
        onFailed: (why, name) => hosts.current?.processFailed(why, name),
        onUnknownProxy: () => announced.noteUnknownProxy(),
      }),
    // The grace period leaves time for mongod to stop.
    async drain(forked) {
      const totalMs = config.server.shutdownSeconds * SECOND;
      await forked.stop(Math.max(totalMs - mongodMs, totalMs / 2));
    },
  });
  const hosts: StepWithValue<JoinedHosts> = createStep({
    async start() {
      const { alarms, worker: reporter } = alarmReporting.value;
      const { connection } = database.value;
      const { secrets } = folder.value;
      const { pool } = processes.value;
      const joining = { connection, encrypter: encrypter.value, secrets, pool, alarms, reporter };
      return joinHosts({ role, loaded, ...joining, log: log.value });
    },
    stop: async (joined) => joined.stop(),
  });
  const recurringJobs: StepWithValue<RecurringJobs> = createStep({
    async start() {
      alarmReporting.value.start();
      const recurring = createRecurringJobs({ connection: database.value.connection, jobs, now: () => new Date() });
      await recurring.ensureStored();
      return recurring;
    },
  });
  const serving = createStep({
    async start() {
      const { uri, connection } = database.value;
      processes.value.startSandboxes(uri);
      const adapterStates = createAdapterStateStore(connection, () => new Date());
      await adapterStates.applyFile(fileStates(config));
      for (const line of await findUnknownMerchants(connection, config)) print(`warning: ${line}`);
      const migration = await createMigrations({ connection, now: () => new Date() }).status();
      if (migration) print(`warning: ${describeProgress(migration)}`);
      const sandboxes = await processes.value.sandboxesStarted();
      await processes.value.startPool();
      return { adapterStates, sandboxes };
    },
  });
  const upkeep = createStep({
    start() {
      const { pool } = processes.value;
      const { adapterStates } = serving.value;
      void pool.release(folder.value.orphans);
      const recurring = recurringJobs.value;
      return startUpkeep({ loaded, env, adapterStates, pool, recurring, reopenLogs: reopenAll, print, log: log.value });
    },
    drain: async (started) => started.stop(),
  });
  const announced = createAnnouncementSteps(options, {
    common,
    sandboxes: () => serving.value.sandboxes,
    processes: () => processes.value.running(),
  });

  function reopenAll(): void {
    reopenLogs();
    processes.current?.reopenLogs();
  }

  return {
    steps: [
      folder,
      port,
      log,
      processes,
      database,
      collections,
      alarmReporting,
      encrypter,
      hosts,
      recurringJobs,
      serving,
      upkeep,
      ...announced.steps,
    ],
    announcement: announced.announcement,
    reportLastAlarms: async () => alarmReporting.current?.reportLast(),
    reopenLogs: reopenAll,
    pids: () => [...(processes.current?.running() ?? []).map(({ pid }) => pid), database.current?.mongodPid],
  };
}
