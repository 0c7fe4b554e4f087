/**
 * Runs the jobs of a worker. Agenda repeats them at their intervals, and a wake-up (`runNow`) runs one immediately. A
 * wake-up stores no row in Agenda. Inserting, locking and deleting a row would cost more than the work, and our own
 * documents say what work is due.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agenda, Job as AgendaJob } from 'agenda';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { secondsSince, type Metrics } from '../../base/metrics/index.ts';
import { isDatabaseAway } from '../../database/database-away.ts';
import { lockDueJobs } from './lock-due-jobs.ts';
import { createRecurringJobs, jobCollection, jobDatabase, jobDocuments } from './recurring-jobs.ts';
import type { Job, WorkDone } from './job.ts';
import type { JobData, JobName } from './names.ts';
import { createJobTimer, type JobTimer } from './job-timer.ts';
import { withSpan } from '../../base/traces/index.ts';

export interface Queue {
  /**
   * Runs the job in this process immediately. If it is running, it runs once more afterwards. The call is cheap, may be
   * repeated often, and never throws.
   */
  runNow(name: JobName): void;
  start(): Promise<void>;
  /** A fenced queue starts no job. Jobs in progress finish. */
  fence(isFenced: boolean): void;
  /** Starts no more jobs, signals the jobs in progress to end, and waits for them. */
  stop(): Promise<void>;
}

export interface QueueDeps<G> {
  readonly connection: Connection;
  /** The gateway that the jobs work on. */
  readonly gateway: G;
  /** The name of this process in Agenda's locks. */
  readonly worker: string;
  readonly jobs: readonly Job<G>[];
  readonly metrics: Pick<Metrics, 'jobRuns' | 'jobSeconds'>;
  readonly log: Logger;
  /** Called if a job failed, unless the reason is an unreachable database. */
  readonly onFailure?: (name: JobName, error: unknown) => void;
  /** How often Agenda polls for due jobs, 10,000 by default. `runNow` does not wait for a poll. */
  readonly pollIntervalMs?: number;
}

/** Maximum number of rounds of one run. If work is left, the job runs again after the other jobs had a turn. */
const maxRoundsPerRun = 100;

export function createQueue<G>(deps: QueueDeps<G>): Queue {
  const { connection, gateway, worker, jobs, metrics, log, onFailure, pollIntervalMs = 10_000 } = deps;
  const runners = new Map(jobs.map((job) => [job.name, createRunner(job)]));
  const stopping = new AbortController();
  let agenda: Agenda | undefined;
  let isFenced = false;

  function createRunner(job: Job<G>): JobRunner<G> {
    const timer = createJobTimer(() => runNow(job.name));
    return { job, timer, isRunning: false, isRerunRequested: false, latestRun: Promise.resolve() };
  }

  function runNow(name: JobName): void {
    const runner = runners.get(name);
    if (runner && agenda && !isFenced && !stopping.signal.aborted) requestRun(runner).catch(() => undefined); // runUntilDone() has logged it
  }

  /**
   * Starts a run, or makes the run in progress do the new work too. Returns a promise of that run. A run in progress
   * polls once more before it ends; if it cannot, it is followed by another round.
   */
  async function requestRun(runner: JobRunner<G>): Promise<void> {
    if (runner.isRunning) runner.isRerunRequested ||= runner.job.pollSoon?.(gateway) !== true;
    else runner.latestRun = runUntilDone(runner);
    return runner.latestRun;
  }

  async function runUntilDone(runner: JobRunner<G>): Promise<void> {
    const { job, timer } = runner;
    runner.isRunning = true;
    let done = 0;
    try {
      for (let round = 1; ; round += 1) {
        runner.isRerunRequested = false;
        const began = performance.now();
        const result = await run(job);
        done += result.done;
        const more = result.more || runner.isRerunRequested;
        if (more && round < maxRoundsPerRun && !isFenced && !stopping.signal.aborted) {
          if (!result.more && job.paceMs) await pause(began + job.paceMs(result.done) - performance.now());
          continue;
        }
        if (done > 0) log.debug({ job: job.name, done }, 'job done');
        timer.finished({ ...result, done, more });
        return;
      }
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed');
      timer.failed();
      if (!isDatabaseAway(error)) onFailure?.(job.name, error);
      throw error;
    } finally {
      // In the same tick as the last check of `isRerunRequested`, so that no wake-up is lost between the two.
      runner.isRunning = false;
    }
  }

  async function run(job: Job<G>): Promise<WorkDone> {
    const began = performance.now();
    let outcome: 'done' | 'failed' = 'failed';
    try {
      const plan = { isRoot: true, isQuiet: true, kind: 'consumer', attributes: { 'gateway.worker': worker } } as const;
      const result = await withSpan(
        `job ${job.name}`,
        () => plan,
        async () => job.run(gateway, stopping.signal),
      );
      outcome = 'done';
      return result;
    } finally {
      metrics.jobRuns.inc({ job: job.name, outcome });
      metrics.jobSeconds.observe({ job: job.name }, secondsSince(began));
    }
  }

  async function pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  /** Runs a recurring job for Agenda, and renews its lock until the run ends. */
  async function runForAgenda(runner: JobRunner<G>, agendaJob: AgendaJob<JobData>): Promise<void> {
    if (isFenced) return;
    const renewal = setInterval(() => void renewLock(agendaJob), runner.job.lockLifetimeMs / 3);
    try {
      await requestRun(runner);
    } finally {
      clearInterval(renewal);
    }
  }

  async function renewLock(agendaJob: AgendaJob<JobData>): Promise<void> {
    // If this fails, another worker may lock the job too. Both then share the work: each row is processed once.
    await agendaJob.touch().catch((error: unknown) => log.debug({ err: error }, 'the lock of a job was not renewed'));
  }

  return {
    runNow,
    fence: (fenced) => void (isFenced = fenced),

    async start() {
      // Only workers start a queue. In all other processes Agenda would take 3 MB.
      const [{ Agenda }, { MongoBackend }] = await Promise.all([import('agenda'), import('@agendajs/mongo-backend')]);
      const backend = new MongoBackend({ mongo: jobDatabase(connection), collection: jobCollection });
      // Agenda would connect too, but it does not report a failed connection.
      await backend.connect();
      lockDueJobs(backend.repository, jobDocuments(connection));
      const engine = new Agenda({ name: worker, backend, processEvery: pollIntervalMs });
      engine.on('error', (error: Error) => log.warn({ err: error }, 'Agenda reported an error'));
      for (const runner of runners.values()) {
        const { name, lockLifetimeMs } = runner.job;
        const handle = async (agendaJob: AgendaJob<JobData>): Promise<void> => runForAgenda(runner, agendaJob);
        // The lint rule checks Agenda's overload with a callback. This call uses the overload with a promise.
        // oxlint-disable-next-line typescript/no-misused-promises
        engine.define<JobData>(name, handle, { concurrency: 1, lockLifetime: lockLifetimeMs });
      }
      await engine.start();
      agenda = engine;
    },

    async stop() {
      stopping.abort();
      for (const { timer } of runners.values()) timer.stop();
      await agenda?.stop(false);
      await Promise.allSettled([...runners.values()].map(async ({ latestRun }) => latestRun));
      // On stop, Agenda unlocks the jobs that it had locked, but not the jobs that it was about to lock.
      await createRecurringJobs({ connection, jobs, now: () => new Date() })
        .releaseLocks(worker)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'the locks of a stopped queue could not be freed: they stay until they expire'),
        );
    },
  };
}

/** The state of one job in this process. */
interface JobRunner<G> {
  readonly job: Job<G>;
  readonly timer: JobTimer;
  isRunning: boolean;
  /** Another run was requested during the run in progress. */
  isRerunRequested: boolean;
  /** Settles when the latest run has ended. */
  latestRun: Promise<void>;
}
