import type { Job } from '../../core/jobs/index.ts';
import { SECOND } from './time.ts';

/** Delivers to merchants what is due, first attempts before repetitions. */
export const deliverNotifications: Job = {
  name: 'deliver-notifications',
  everyMs: 5 * SECOND, // a worker that died took its plan for the next repetition with it
  concurrency: 1, // a run delivers to many receivers side by side
  lockLifetimeMs: 30 * SECOND,
  run: async ({ work }, signal) => work.deliverNotifications(signal),
};
