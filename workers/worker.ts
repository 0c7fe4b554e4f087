/** A worker: runs every job, immediately when it is notified of work. */
import { setPriority } from 'node:os';
import { createGateway } from '../core/gateway.ts';
import { createQueue, jobOfWork, type JobName, type Work } from '../core/engine/jobs/index.ts';
import { createMetrics } from '../core/base/metrics/index.ts';
import { runChild } from './supervisor/processes/child-process.ts';
import { seriesOf } from './supervisor/processes/process-names.ts';
import { jobs } from './jobs/index.ts';
import { createRowRelease } from './supervisor/processes/dead-process-cleanup.ts';
import { createWorkNotifier } from './supervisor/processes/work-notifier.ts';

/**
 * If the CPU is not fast enough for everything, callbacks are acknowledged before they are applied. In competition with
 * a process of normal priority, a worker gets a tenth of the CPU: enough to apply a batch within its lease, however
 * long the overload lasts.
 */
const niceness = 10;

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
    const { name: kind } = error instanceof Error ? error : { name: 'a value that is not an error' };
    gateway.alarms.raise('job_failed', { type: 'job', id: name }, `it threw ${kind}: see the log`);
  };
  const queue = createQueue({ connection: gateway.connection, gateway, worker, jobs, metrics, log, onFailure });
  await queue.start();
  const sweep = (): void => {
    for (const { name, isSwept } of jobs) if (isSwept) queue.runNow(name);
  };
  const release = createRowRelease({
    async releaseWorker(dead) {
      await gateway.releaseWorker(dead);
      sweep();
    },
    send,
    log,
  });
  /** The workers of a fenced host start no work, because its clock, keys or secrets are wrong. */
  const fence = (problems: readonly string[]): void => {
    if (problems.length > 0) log.error({ problems }, 'this host is fenced: its workers start no work');
    queue.fence(problems.length > 0);
    if (problems.length === 0) sweep();
  };
  sweep();
  const logFailure = (error: unknown): void => log.warn({ err: error }, 'checks in progress could not be released');

  return {
    metrics,
    receive(message) {
      if (message.type === 'work') for (const work of message.work) workHere(work);
      if (message.type === 'sweep') sweep();
      if (message.type === 'adapterStates') gateway.providers.pollStates();
      if (message.type === 'release') void release(message.worker);
      if (message.type === 'host') fence(message.problems);
    },
    async stop(graceMs) {
      const stopped = queue.stop();
      // A check that waits for a provider takes longer than the grace period. Its lease is released without counting a
      // failure, so that another worker can repeat the check.
      const releaseAll = setTimeout(() => void gateway.payments.reconciler.releaseAll().catch(logFailure), graceMs / 2);
      await stopped;
      clearTimeout(releaseAll);
      await gateway.close();
    },
  };
});
