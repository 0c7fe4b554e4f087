import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import mongoose, { type Connection } from 'mongoose';
import { pino } from 'pino';
import { createMetrics } from '../../base/metrics/index.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { until } from '../../base/testing/until.ts';
import {
  createQueue,
  createRecurringJobs,
  jobDocuments,
  type Job,
  type JobName,
  type Queue,
  type WorkDone,
} from './index.ts';

const log = pino({ level: 'silent' });
const metrics = createMetrics();
/** Agenda's timers outlive a test by half of this time. */
const pollIntervalMs = 8000;
/** The interval of the jobs here. It is longer than every wait, so that a run is never a repetition. */
const seldomMs = 600_000;
const nothing: WorkDone = { done: 0, more: false };
type Run = (signal: AbortSignal) => Promise<WorkDone>;

describe('createQueue', () => {
  let connection: Connection;
  const queues: Queue[] = [];

  before(async () => {
    const server = process.env['TEST_MONGODB_URI'];
    if (!server) throw new Error('TEST_MONGODB_URI is not set: it names the mongod that tests use');
    const dbName = `jobs_${randomBytes(6).toString('hex')}`;
    connection = await mongoose.createConnection(server, { dbName }).asPromise();
  });
  beforeEach(async () => {
    await jobDocuments(connection).deleteMany({});
  });
  afterEach(async () => {
    await Promise.all(queues.splice(0).map(async (queue) => queue.stop()));
  });
  after(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  const jobOf = (run: Run, settings: Partial<Job<null>> = {}): Job<null> => {
    const base = { name: 'drain-callbacks', everyMs: seldomMs, lockLifetimeMs: 3000 } as const;
    return { ...base, ...settings, run: async (_gateway, signal) => run(signal) };
  };
  const start = async (worker: string, ...jobs: Job<null>[]): Promise<Queue> =>
    startPolling(worker, pollIntervalMs, ...jobs);
  const startPolling = async (worker: string, everyMs: number, ...jobs: Job<null>[]): Promise<Queue> => {
    const queue = createQueue({ connection, gateway: null, worker, jobs, metrics, log, pollIntervalMs: everyMs });
    await queue.start();
    queues.push(queue);
    return queue;
  };
  const recurring = (...jobs: Job<null>[]) => createRecurringJobs({ connection, jobs, now: () => new Date() });
  const documents = async () => jobDocuments(connection).find().toArray();

  it('runs a job immediately on request, however requests and the ends of runs coincide', async () => {
    let runs = 0;
    const job = jobOf(async () => ({ ...nothing, done: ++runs }), { everyMs: seldomMs });
    await recurring(job).ensureStored();
    const queue = await start('w1', job);
    for (let times = 0; times < 150; times += 1) {
      const before = runs;
      queue.runNow(job.name);
      await until(`run ${times}`, () => runs > before);
      await sleep(times % 4);
    }
  });

  it('starts no job while it is fenced, neither on request nor by Agenda, and starts jobs again afterwards', async () => {
    let runs = 0;
    const job = jobOf(async () => ({ ...nothing, done: ++runs }), { everyMs: 50 });
    await recurring(job).ensureStored();
    const queue = createQueue({
      connection,
      gateway: null,
      worker: 'w1',
      jobs: [job],
      metrics,
      log,
      pollIntervalMs: 50,
    });
    queue.fence(true);
    await queue.start();
    queues.push(queue);
    queue.runNow(job.name);
    const turns = async () => (await jobDocuments(connection).findOne({ name: job.name }))?.nextRunAt?.getTime();
    const first = await turns();
    await until('Agenda had a turn', async () => (await turns()) !== first);
    expect(runs).to.equal(0);
    queue.fence(false);
    queue.runNow(job.name);
    await until('it runs', () => runs > 0);
  });

  it('reports a job that fails, but not while the database is away', async () => {
    const failures = [new mongoose.mongo.MongoNetworkError('away'), new RangeError('wrong')];
    const reported: unknown[] = [];
    let runs = 0;
    const job = jobOf(async () => Promise.reject(failures[runs++ % 2]!));
    const onFailure = (name: JobName, error: unknown): unknown => reported.push([name, error]);
    const queue = createQueue({
      connection,
      gateway: null,
      worker: 'w1',
      jobs: [job],
      metrics,
      log,
      pollIntervalMs,
      onFailure,
    });
    await queue.start();
    queues.push(queue);
    for (const times of [1, 2]) {
      await until(`run ${times}`, () => {
        if (runs < times) queue.runNow(job.name);
        return runs >= times;
      });
    }
    await until('the failure is reported', () => reported.length > 0);
    expect(reported[0]).to.deep.equal([job.name, failures[1]]);
  });

  it('waits before a requested rerun according to what the run did, and not before the first run', async () => {
    const starts: number[] = [];
    const asked: number[] = [];
    const job = jobOf(
      async () => {
        starts.push(performance.now());
        if (starts.length < 3) queue.runNow(job.name);
        return { ...nothing, done: starts.length };
      },
      {
        paceMs(done) {
          asked.push(done);
          return 150 * done;
        },
      },
    );
    const queue = await start('w1', job);
    const requestedAt = performance.now();
    queue.runNow(job.name);
    await until('it ran three times', () => starts.length === 3);
    const waits = starts.map((at, run) => at - (starts[run - 1] ?? requestedAt));
    expect(asked).to.deep.equal([1, 2]);
    expect(waits[0]).to.be.below(150);
    // A timer may fire a little early.
    expect(waits[1]).to.be.at.least(140);
    expect(waits[2]).to.be.at.least(280);
  });

  it('runs once more after a wake-up during a run, and never twice at the same time', async () => {
    let [runs, active, most] = [0, 0, 0];
    let end = (): void => {};
    const job = jobOf(async () => {
      runs += 1;
      active += 1;
      most = Math.max(most, active);
      await new Promise<void>((resolve) => (end = resolve));
      active -= 1;
      return nothing;
    });
    const queue = await start('w1', job);
    queue.runNow(job.name);
    await until('the first run', () => runs === 1);
    for (let times = 0; times < 50; times += 1) queue.runNow(job.name);
    end();
    await until('the second run', () => runs === 2);
    end();
    await queue.stop();
    expect({ runs, most, rows: (await documents()).length }).to.deep.equal({ runs: 2, most: 1, rows: 0 });
  });

  it('notifies a run that can poll once more, and lets another run follow only if it cannot', async () => {
    for (const [polls, expected] of [
      [true, 1],
      [false, 2],
    ] as const) {
      let [runs, requests] = [0, 0];
      const ended: (() => void)[] = [];
      const run: Run = async () => {
        runs += 1;
        if (runs === 1) await new Promise<void>((resolve) => ended.push(resolve));
        return nothing;
      };
      const pollSoon = (): boolean => {
        requests += 1;
        return polls;
      };
      const queue = await start('w1', jobOf(run, { pollSoon }));
      queue.runNow('drain-callbacks');
      await until('the run', () => ended.length === 1);
      queue.runNow('drain-callbacks');
      ended[0]!();
      await until('what follows', () => runs === expected);
      await queue.stop();
      expect({ runs, requests }).to.deep.equal({ runs: expected, requests: 1 });
    }
  });

  for (let turns = 0; turns <= 12; turns += 1) {
    it(`misses no wake-up that comes ${turns} turns of microtasks after the work`, async () => {
      let runs = 0;
      const wake = async (): Promise<void> => {
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        queue.runNow('drain-callbacks');
      };
      const job = jobOf(async () => {
        runs += 1;
        if (runs === 1) void Promise.resolve().then(wake);
        return nothing;
      });
      const queue = await start('w1', job);
      queue.runNow(job.name);
      await until('the second run', () => runs === 2);
    });
  }

  it('runs again while there is more, and automatically when something becomes due', async () => {
    const results: WorkDone[] = [
      { done: 3, more: true },
      { done: 3, more: true },
      { done: 1, more: false, nextDueAt: new Date(Date.now() + 150) },
      nothing,
    ];
    const at: number[] = [];
    const job = jobOf(async () => {
      at.push(Date.now());
      return results[at.length - 1] ?? nothing;
    });
    const queue = await start('w1', job);
    queue.runNow(job.name);
    await until('four runs', () => at.length === 4);
    expect(at[3]).to.be.at.least(results[2]?.nextDueAt?.getTime() ?? Infinity);
  });

  it('retries a failed run automatically', async () => {
    let runs = 0;
    const job = jobOf(
      async () => {
        runs += 1;
        if (runs < 3) throw new Error('not now');
        return nothing;
      },
      { name: 'expire-payments' },
    );
    const queue = await start('w1', job);
    queue.runNow(job.name);
    await until('the third run', () => runs === 3);
    const counted = async (outcome: string) =>
      valueOf(metrics, 'gateway_job_runs_total', { job: 'expire-payments', outcome });
    await until('it is counted', async () => (await counted('done')) === 1);
    expect(await counted('failed')).to.equal(2);
  });

  it('repeats a recurring job, by one worker at a time, by its interval', async () => {
    const at: number[] = [];
    const run = async (): Promise<WorkDone> => {
      // The time when the run was taken. How long it took to start depends on the machine.
      const [taken] = (await documents()) as { readonly lastRunAt?: Date }[];
      at.push(taken?.lastRunAt?.getTime() ?? 0);
      return nothing;
    };
    const job = jobOf(run, { name: 'purge-expired', everyMs: 200 });
    await Promise.all([recurring(job).ensureStored(), recurring(job).ensureStored()]);
    expect(await documents()).to.have.length(1);
    await Promise.all([startPolling('w1', 50, job), startPolling('w2', 50, job)]);
    await until('five runs', () => at.length >= 5);
    const gaps = at.slice(1, 5).map((time, index) => time - (at[index] ?? 0));
    expect(Math.min(...gaps)).to.be.above(150);
  });

  it('finds out with one query per poll that no job is due', async () => {
    const server = process.env['TEST_MONGODB_URI']!;
    const watched = await mongoose
      .createConnection(server, { dbName: connection.name, monitorCommands: true })
      .asPromise();
    const names = ['drain-callbacks', 'reconcile', 'purge-expired'] as const;
    const seldom = names.map((name) => jobOf(async () => nothing, { name }));
    await recurring(...seldom).ensureStored();
    await jobDocuments(connection).updateMany({}, { $set: { nextRunAt: new Date(Date.now() + seldomMs) } });
    const sent: string[] = [];
    watched.getClient().on('commandStarted', ({ commandName, command }) => {
      if (Object.values(command).includes('agendaJobs')) sent.push(commandName);
    });
    const queue = createQueue({
      connection: watched,
      gateway: null,
      worker: 'w1',
      jobs: seldom,
      metrics,
      log,
      pollIntervalMs: 50,
    });
    await queue.start();
    await until('five polls', () => sent.filter((name) => name === 'find').length >= 5);
    await queue.stop();
    await watched.close();
    expect(sent).not.to.include('findAndModify');
  });

  it('does not change a recurring job that exists, whether it runs or waits', async () => {
    const job = jobOf(async () => nothing, { everyMs: seldomMs });
    const jobs = recurring(job);
    await jobs.ensureStored();
    const held = { lockedAt: new Date(), nextRunAt: new Date(Date.now() + 60_000), lastModifiedBy: 'w9' };
    await jobDocuments(connection).updateMany({}, { $set: held });
    const before = await documents();
    await jobs.ensureStored();
    expect(await documents()).to.deep.equal(before);
  });

  it('restores jobs after their collection was dropped, and needs none of them for a wake-up', async () => {
    let runs = 0;
    const job = jobOf(async () => ((runs += 1), nothing), { everyMs: seldomMs });
    const queue = await startPolling('w1', 300, job);
    await jobDocuments(connection).drop();
    queue.runNow(job.name);
    await until('the woken run', () => runs === 1);
    await jobDocuments(connection).drop();
    await recurring(job).ensureStored();
    expect((await documents()).map(({ name }) => name)).to.deep.equal([job.name]);
    await until('the recurring run', () => runs === 2);
  });

  it('gives a recurring job that lost its next run a new one, and updates its interval if that has changed', async () => {
    await recurring(jobOf(async () => nothing, { everyMs: seldomMs })).ensureStored();
    await jobDocuments(connection).updateMany({}, { $set: { lockedAt: null, nextRunAt: null } });
    await recurring(jobOf(async () => nothing, { everyMs: 30_000 })).ensureStored();
    const [document] = await documents();
    expect(document).to.include({ repeatInterval: 30_000 });
    expect(document?.nextRunAt).to.be.an.instanceOf(Date);
  });

  it('frees the jobs that a dead worker had locked, and no others', async () => {
    const [lost, kept] = [jobOf(async () => nothing), jobOf(async () => nothing, { name: 'purge-expired' })];
    await recurring(lost, kept).ensureStored();
    const lock = async ({ name }: Job<null>, lastModifiedBy: string) =>
      jobDocuments(connection).updateOne({ name }, { $set: { lockedAt: new Date(), nextRunAt: null, lastModifiedBy } });
    await lock(lost, 'dead');
    await lock(kept, 'alive');
    await recurring(lost, kept).releaseLocks('dead');
    const left = (await documents()).map(({ lockedAt: lock, nextRunAt, lastModifiedBy }) => {
      return { by: lastModifiedBy, locked: lock !== null, runs: nextRunAt !== null };
    });
    expect(left).to.have.deep.members([
      { by: 'dead', locked: false, runs: true },
      { by: 'alive', locked: true, runs: false },
    ]);
  });

  it('runs a job that a dead worker had locked at its next poll', async () => {
    let runs = 0;
    const job = jobOf(async () => ((runs += 1), nothing));
    await recurring(job).ensureStored();
    const lost = { nextRunAt: null, lockedAt: new Date(), lastModifiedBy: 'dead' };
    await jobDocuments(connection).updateMany({}, { $set: lost });
    await startPolling('w1', 50, job);
    await recurring(job).releaseLocks('dead');
    await until('the orphan runs', () => runs === 1);
  });

  it('renews the lock of a job that runs longer than the lifetime of its lock', async () => {
    // Long enough for a renewal to be late, by a second or two, on a busy machine.
    const lockLifetimeMs = 6000;
    let [runs, finish] = [0, (): void => {}];
    const end = new Promise<void>((resolve) => (finish = resolve));
    const job = jobOf(async () => ((runs += 1), await end, nothing), { lockLifetimeMs });
    await recurring(job).ensureStored();
    await start('w1', job);
    await startPolling('w2', 50, job);
    await until('it runs', () => runs === 1);
    const first = (await documents())[0]?.lockedAt?.getTime() ?? 0;
    await until('its lock is renewed twice', async () => {
      return ((await documents())[0]?.lockedAt?.getTime() ?? 0) > first + (2 * lockLifetimeMs) / 3 - 10;
    });
    finish();
    expect(runs).to.equal(1);
  });

  it('signals the running job on stop, waits for it, and frees the jobs that it holds but does not run', async () => {
    let [running, ended] = [false, false];
    const job = jobOf(async (signal) => {
      running = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await sleep(30);
      ended = true;
      return nothing;
    });
    const waiting = jobOf(async () => nothing, { name: 'purge-expired', everyMs: 400 });
    await recurring(waiting).ensureStored();
    const queue = await startPolling('w1', 300, job, waiting);
    queue.runNow(job.name);
    const isHeld = async (name: JobName) => (await documents()).some((one) => one.name === name && one.lockedAt);
    await until('one runs and the other is held for later', async () => running && (await isHeld('purge-expired')));
    await queue.stop();
    expect(ended).to.equal(true);
    await until('both locks are gone', async () => !(await isHeld('purge-expired')) && !(await isHeld(job.name)));
    // A job that has just ended may still be in cleanup. A stopped queue adds none.
    const before = await documents();
    queue.runNow(job.name);
    expect(await documents()).to.have.length.of.at.most(before.length);
  });
});
