/** A worker: runs every job, at once when notified of work. */
import { setPriority } from 'node:os';
import { createGateway } from '../core/gateway.ts';
import { createQueue, jobOfWork, type JobName, type Work } from '../core/engine/jobs/index.ts';
import { createMetrics } from '../core/base/metrics/index.ts';
import { runChild } from './supervisor/child-process.ts';
import { seriesOf } from './supervisor/process-names.ts';
import { jobs } from './jobs/index.ts';
import { SECOND } from '../core/base/async/time.ts';
import { createRowRelease } from './supervisor/dead-process-cleanup.ts';
import { createWorkNotifier } from './supervisor/work-notifier.ts';

/**
 * Where the CPU does not suffice for all, callbacks are acknowledged before they are applied. Beside a process without it, a
 * worker gets a tenth: enough to apply a batch within its lease, however long that lasts.
 */
const niceness = 10;
/** Should Agenda fail us altogether, what waits is found after so long all the same. */
const sweepMs = 10 * SECOND;

runChild(async ({ options, log, send }) => {
  setPriority(niceness);
  const { name: worker } = options;
  const notifyWorkers = createWorkNotifier((work) => send({ type: 'work', work }));
  const workHere = (work: Work): void => {
    if (work === 'pings') gateway.callbacks.lookForPings();
    queue.runNow(jobOfWork[work]);
  };
  const metrics = createMetrics({ process: seriesOf(worker) });
  const gateway = await createGateway({ ...options.run, log, worker, metrics, notifyWorkers, workHere });
  const onFailure = (name: JobName, error: unknown): void => {
    const { name: kind } = error instanceof Error ? error : { name: 'something that is no error' };
    gateway.alarms.raise('job_failed', { type: 'job', id: name }, `it threw ${kind}: see the log`);
  };
  const queue = createQueue({ connection: gateway.connection, gateway, worker, jobs, metrics, log, onFailure });
  await queue.start();
  const sweep = (): void => {
    for (const name of new Set(Object.values(jobOfWork))) queue.runNow(name);
  };
  const release = createRowRelease({
    async releaseWorker(dead) {
      await gateway.releaseWorker(dead);
      sweep();
    },
    send,
    log,
  });
  /** A host that does not fit the others changes nothing: its clock, keys or secrets are wrong. */
  const hold = (problems: readonly string[]): void => {
    if (problems.length > 0) log.error({ problems }, 'this host must not serve: its workers begin nothing');
    queue.hold(problems.length > 0);
    if (problems.length === 0) sweep();
  };
  sweep();
  const sweeping = setInterval(sweep, sweepMs);
  const logFailure = (error: unknown): void => log.warn({ err: error }, 'checks under way could not be given back');

  return {
    metrics,
    receive(message) {
      if (message.type === 'work') for (const work of message.work) workHere(work);
      if (message.type === 'release') void release(message.worker);
      if (message.type === 'host') hold(message.problems);
    },
    async stop(graceMs) {
      clearInterval(sweeping);
      const stopped = queue.stop();
      // A check that waits for a provider outlives the grace of a stop: somebody else makes it, and nobody is to blame.
      const releaseAll = setTimeout(() => void gateway.payments.reconciler.releaseAll().catch(logFailure), graceMs / 2);
      await stopped;
      clearTimeout(releaseAll);
      await gateway.close();
    },
  };
});
