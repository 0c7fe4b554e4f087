/**
 * The jobs of a worker: Agenda repeats them, and a wake-up runs one immediately. A wake-up stores no row in Agenda:
 * inserting, locking and deleting a row would cost more than the work, and our own documents say what is to be done.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda, type Job as AgendaJob } from 'agenda';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { secondsSince, type Metrics } from '../../base/metrics/index.ts';
import { isDatabaseAway } from '../../database/database-away.ts';
import { createRecurringJobs, jobCollection, jobDatabase } from './recurring-jobs.ts';
import type { Job, WorkDone } from './job.ts';
import type { JobData, JobName } from './names.ts';
import { createJobTimer, type JobTimer } from './job-timer.ts';
import { withSpan } from '../../base/traces/index.ts';

export interface Queue {
  /**
   * Runs the job in this process immediately, or once more after the run in progress. Cheap, may be called often, never
   * throws.
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
  /** Names this process in the locks of Agenda. */
  readonly worker: string;
  readonly jobs: readonly Job<G>[];
  readonly metrics: Pick<Metrics, 'jobRuns' | 'jobSeconds'>;
  readonly log: Logger;
  /** Called if a job failed for another reason than an unreachable database. */
  readonly onFailure?: (name: JobName, error: unknown) => void;
  /** How often Agenda checks for due jobs. `runNow` does not wait for that. */
  readonly lookEveryMs?: number;
}

/** The most rounds of one run. If there is more work, the job runs again after all other jobs had their turn. */
const longestRunRounds = 100;

export function createQueue<G>(deps: QueueDeps<G>): Queue {
  const { connection, gateway, worker, jobs, metrics, log, onFailure, lookEveryMs = 5000 } = deps;
  const lanes = new Map(jobs.map((job) => [job.name, createLane(job)]));
  const stopping = new AbortController();
  let agenda: Agenda | undefined;
  let isFenced = false;

  function createLane(job: Job<G>): Lane<G> {
    const timer = createJobTimer(() => runNow(job.name));
    return { job, timer, active: false, again: false, run: Promise.resolve() };
  }

  function runNow(name: JobName): void {
    const lane = lanes.get(name);
    if (lane && agenda && !isFenced && !stopping.signal.aborted) join(lane).catch(() => undefined); // work() has logged it
  }

  /**
   * Returns the run that does the present work: a new one, or the one in progress, which polls once more before it
   * ends.
   */
  async function join(lane: Lane<G>): Promise<void> {
    if (lane.active) lane.again ||= lane.job.pollSoon?.(gateway) !== true;
    else lane.run = work(lane);
    return lane.run;
  }

  async function work(lane: Lane<G>): Promise<void> {
    const { job, timer } = lane;
    lane.active = true;
    let done = 0;
    try {
      for (let round = 1; ; round += 1) {
        lane.again = false;
        const began = performance.now();
        const result = await run(job);
        done += result.done;
        const more = result.more || lane.again;
        if (more && round < longestRunRounds && !isFenced && !stopping.signal.aborted) {
          if (!result.more && job.paceMs !== undefined) await pause(began + job.paceMs - performance.now());
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
      // In the same tick as the last check of `again`, so that no wake-up is lost between the two.
      lane.active = false;
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

  /** Agenda's run of a recurring job. Its lock is renewed as long as the work takes. */
  async function perform(lane: Lane<G>, held: AgendaJob<JobData>): Promise<void> {
    if (isFenced) return;
    const renewal = setInterval(() => void renew(held), lane.job.lockLifetimeMs / 3);
    try {
      await join(lane);
    } finally {
      clearInterval(renewal);
    }
  }

  async function renew(held: AgendaJob<JobData>): Promise<void> {
    // Another worker may then take the job. Both do the same work, each row once.
    await held.touch().catch((error: unknown) => log.debug({ err: error }, 'the lock of a job was not renewed'));
  }

  return {
    runNow,
    fence: (fenced) => void (isFenced = fenced),

    async start() {
      const backend = new MongoBackend({ mongo: jobDatabase(connection), collection: jobCollection });
      // Agenda connects too, but does not report its failure.
      await backend.connect();
      const engine = new Agenda({ name: worker, backend, processEvery: lookEveryMs });
      engine.on('error', (error: Error) => log.warn({ err: error }, 'Agenda reported an error'));
      for (const lane of lanes.values()) {
        const { name, lockLifetimeMs } = lane.job;
        const handle = async (held: AgendaJob<JobData>): Promise<void> => perform(lane, held);
        // The rule sees the overload with a callback, not this one.
        // oxlint-disable-next-line typescript/no-misused-promises
        engine.define<JobData>(name, handle, { concurrency: 1, lockLifetime: lockLifetimeMs });
      }
      await engine.start();
      agenda = engine;
    },

    async stop() {
      stopping.abort();
      for (const { timer } of lanes.values()) timer.end();
      await agenda?.stop(false);
      await Promise.allSettled([...lanes.values()].map(async ({ run }) => run));
      // Agenda frees the jobs that it knew when it stopped, but not those that it was about to lock.
      await createRecurringJobs({ connection, jobs, now: () => new Date() })
        .release(worker)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'the locks of a stopped queue could not be freed: they stay until they expire'),
        );
    },
  };
}

interface Lane<G> {
  readonly job: Job<G>;
  readonly timer: JobTimer;
  active: boolean;
  /** A run was requested during the run. */
  again: boolean;
  /** The latest run. */
  run: Promise<void>;
}
