import type { Job } from '../../core/jobs/index.ts';
import { SECOND } from './time.ts';

/** Applies what providers told us. It never calls out, so it is never kept waiting by one of them. */
export const drainCallbacks: Job = {
  name: 'drain-callbacks',
  everyMs: 5 * SECOND, // the net under wake-ups that a crash lost
  concurrency: 1, // a run takes all that waits; other workers take other rows
  lockLifetimeMs: 30 * SECOND,
  run: async ({ work }, signal) => work.drainCallbacks(signal),
};
