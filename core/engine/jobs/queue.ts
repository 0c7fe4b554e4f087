/**
 * A worker's jobs: Agenda repeats them, a wake-up runs one at once. A wake-up leaves no row in Agenda: inserting, locking
 * and deleting one would cost more than the work, and what was asked for is in our own documents anyway.
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
  /** Runs the job here and now; while it runs: once more after. Cheap, may be called often, never throws. */
  runNow(name: JobName): void;
  start(): Promise<void>;
  /** A fenced queue starts no job. Jobs in progress finish. */
  fence(isFenced: boolean): void;
  /** Begins no job any more, signals those under way to end, and waits for them. */
  stop(): Promise<void>;
}

export interface QueueSetup<G> {
  readonly connection: Connection;
  /** What the jobs work on. */
  readonly gateway: G;
  /** Names this process in Agenda's locks. */
  readonly worker: string;
  readonly jobs: readonly Job<G>[];
  readonly metrics: Pick<Metrics, 'jobRuns' | 'jobSeconds'>;
  readonly log: Logger;
  /** A job failed, and not because the database was away. */
  readonly onFailure?: (name: JobName, error: unknown) => void;
  /** How often Agenda looks for due jobs of its own accord. `runNow` does not wait for that. */
  readonly lookEveryMs?: number;
}

/** Of one run; where it does not suffice, the job comes again after all others had their turn. */
const longestRunRounds = 100;

export function createQueue<G>(setup: QueueSetup<G>): Queue {
  const { connection, gateway, worker, jobs, metrics, log, onFailure, lookEveryMs = 5000 } = setup;
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

  /** The run that does what is there now: a new one, or the one under way, which looks once more before it ends. */
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
      // In the same turn as the last look at `again`: no wake-up falls between the two.
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

  /** Agenda's turn of a recurring job. Its lock is renewed for as long as the work takes. */
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
    // Somebody else may take the job then; both do the same work, each row once.
    await held.touch().catch((error: unknown) => log.debug({ err: error }, 'the lock of a job was not renewed'));
  }

  return {
    runNow,
    fence: (fenced) => void (isFenced = fenced),

    async start() {
      const backend = new MongoBackend({ mongo: jobDatabase(connection), collection: jobCollection });
      // Agenda connects too, but nobody hears of its failure.
      await backend.connect();
      const engine = new Agenda({ name: worker, backend, processEvery: lookEveryMs });
      engine.on('error', (error: Error) => log.warn({ err: error }, 'Agenda met an error'));
      for (const lane of lanes.values()) {
        const { name, lockLifetimeMs } = lane.job;
        const handle = async (held: AgendaJob<JobData>): Promise<void> => perform(lane, held);
        // oxlint-disable-next-line typescript/no-misused-promises -- the rule sees the overload with a callback, not this
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
      // Agenda frees what it knew of when it stopped; what it was about to lock just then, it does not.
      await createRecurringJobs({ connection, jobs, now: () => new Date() })
        .release(worker)
        .catch((error: unknown) => log.warn({ err: error }, 'the locks of a stopped queue stay until they expire'));
    },
  };
}

interface Lane<G> {
  readonly job: Job<G>;
  readonly timer: JobTimer;
  active: boolean;
  /** Somebody asked during the run. */
  again: boolean;
  /** The latest one. */
  run: Promise<void>;
}
