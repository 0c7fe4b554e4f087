/** The queue in front of Agenda: a worker's jobs run through Agenda, at once when woken, and again when due. */
import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda, InMemoryNotificationChannel, type Job as AgendaJob } from 'agenda';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { createRecurringJobs, jobCollection, jobDatabase } from './recurring-jobs.ts';
import type { Job, WorkDone } from './job.ts';
import type { JobData, JobName } from './names.ts';
import { createJobTimer, type JobTimer } from './job-timer.ts';

export interface Queue {
  /** Runs the job here and now; while it runs: once more after. Cheap, may be called often, never throws. */
  runNow(name: JobName): void;
  start(): Promise<void>;
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
  readonly log: Logger;
  /** How often Agenda looks for due jobs of its own accord. `runNow` does not wait for that. */
  readonly lookEveryMs?: number;
}

/** Of one run; where it does not suffice, the job comes again after all others had their turn. */
const longestRunRounds = 100;

export function createQueue<G>(setup: QueueSetup<G>): Queue {
  const { connection, gateway, worker, jobs, log, lookEveryMs = 5000 } = setup;
  const lanes = new Map(jobs.map((job) => [job.name, createLane(job)]));
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let agenda: Agenda | undefined;

  function createLane(job: Job<G>): Lane<G> {
    return { job, timer: createJobTimer(() => runNow(job.name)), active: 0, again: false, scheduling: false };
  }

  function runNow(name: JobName): void {
    const lane = lanes.get(name);
    if (!lane || !agenda || stopping.signal.aborted) return;
    if (lane.active > 0) lane.again = true;
    else if (!lane.scheduling) void schedule(lane, agenda);
  }

  /** Agenda notifies itself of what it saves (by its channel in memory), and so runs it without waiting for its next look. */
  async function schedule(lane: Lane<G>, engine: Agenda): Promise<void> {
    lane.scheduling = true;
    try {
      await engine.now<JobData>(lane.job.name, undefined);
    } catch (error) {
      log.warn({ err: error, job: lane.job.name }, 'a job could not be scheduled');
      lane.timer.failed();
    } finally {
      lane.scheduling = false;
    }
  }

  async function perform(lane: Lane<G>, held: AgendaJob<JobData>): Promise<void> {
    const { job, timer } = lane;
    const renewal = setInterval(() => void renew(held), job.lockLifetimeMs / 3);
    lane.active += 1;
    timer.clear();
    try {
      const result = await runAll(lane);
      timer.finished(result);
      if (result.done > 0) log.debug({ job: job.name, done: result.done }, 'job done');
    } catch (error) {
      timer.failed();
      throw error;
    } finally {
      clearInterval(renewal);
      lane.active -= 1;
    }
  }

  async function runAll(lane: Lane<G>): Promise<WorkDone> {
    let done = 0;
    for (let round = 1; ; round += 1) {
      lane.again = false;
      const result = await lane.job.run(gateway, stopping.signal);
      done += result.done;
      const wanted = result.more || lane.again;
      if (!wanted || stopping.signal.aborted) return { ...result, done, more: false };
      if (round === longestRunRounds) return { ...result, done, more: true };
    }
  }

  async function renew(held: AgendaJob<JobData>): Promise<void> {
    // Somebody else may take the job then; both do the same work, each row once.
    await held.touch().catch((error: unknown) => log.debug({ err: error }, 'the lock of a job was not renewed'));
  }

  return {
    runNow,

    async start() {
      const backend = new MongoBackend({ mongo: jobDatabase(connection), collection: jobCollection });
      // Agenda connects too, but nobody hears of its failure.
      await backend.connect();
      const engine = new Agenda({
        name: worker,
        backend,
        notificationChannel: new InMemoryNotificationChannel(),
        processEvery: lookEveryMs,
        removeOnComplete: true,
      });
      engine.on('fail', (error: Error, { attrs }: AgendaJob) =>
        log.error({ err: error, job: attrs.name }, 'job failed'),
      );
      engine.on('error', (error: Error) => log.warn({ err: error }, 'Agenda met an error'));
      for (const lane of lanes.values()) {
        const { name, concurrency, lockLifetimeMs } = lane.job;
        const handle = async (held: AgendaJob<JobData>): Promise<void> => {
          const run = perform(lane, held);
          const settled = run.catch(() => undefined).finally(() => running.delete(settled));
          running.add(settled);
          return run;
        };
        // No limit of locks: one that is held by a job that ends just now would keep a run waiting for the next look.
        // oxlint-disable-next-line typescript/no-misused-promises -- the rule sees the overload with a callback, not this
        engine.define<JobData>(name, handle, { concurrency, lockLifetime: lockLifetimeMs });
      }
      await engine.start();
      agenda = engine;
    },

    async stop() {
      stopping.abort();
      for (const { timer } of lanes.values()) timer.end();
      await agenda?.stop(false);
      await Promise.all(running);
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
  active: number;
  again: boolean;
  scheduling: boolean;
}
