/** A worker: runs every job, at once when notified of work. */
import { setPriority } from 'node:os';
import { createGateway } from '../core/gateway.ts';
import { createQueue, jobOfWork, type Work } from '../core/jobs/index.ts';
import { runChild } from './supervisor/child-process.ts';
import { jobs } from './jobs/index.ts';
import { SECOND } from '../core/time.ts';
import { createReleaser } from './supervisor/releaser.ts';
import { createWorkNotifier } from './supervisor/work-notifier.ts';

/** Where the CPU does not suffice for all, callbacks are acknowledged before they are applied. */
const niceness = 5;
/** Should Agenda fail us altogether, what waits is found after so long all the same. */
const sweepMs = 10 * SECOND;

runChild(async ({ setup, log, send }) => {
  setPriority(niceness);
  const { name: worker } = setup;
  const notifyWorkers = createWorkNotifier((work) => send({ type: 'work', work }));
  const workHere = (work: Work): void => {
    if (work === 'pings') gateway.callbacks.lookForPings();
    queue.runNow(jobOfWork[work]);
  };
  const gateway = await createGateway({ ...setup.run, log, worker, notifyWorkers, workHere });
  const queue = createQueue({ connection: gateway.connection, gateway, worker, jobs, log });
  await queue.start();
  const sweep = (): void => {
    for (const name of new Set(Object.values(jobOfWork))) queue.runNow(name);
  };
  const release = createReleaser({
    async releaseWorker(dead) {
      await gateway.releaseWorker(dead);
      sweep();
    },
    send,
    log,
  });
  sweep();
  const sweeping = setInterval(sweep, sweepMs);
  const logFailure = (error: unknown): void => log.warn({ err: error }, 'checks under way could not be given back');

  return {
    receive(message) {
      if (message.type === 'work') for (const work of message.work) workHere(work);
      if (message.type === 'release') void release(message.worker);
    },
    async stop(graceMs) {
      clearInterval(sweeping);
      const stopped = queue.stop();
      // A check that waits for a provider outlives the grace of a stop: somebody else makes it, and nobody is to blame.
      const giveBack = setTimeout(() => void gateway.payments.reconciler.giveBack().catch(logFailure), graceMs / 2);
      await stopped;
      clearTimeout(giveBack);
      await gateway.close();
    },
  };
});
