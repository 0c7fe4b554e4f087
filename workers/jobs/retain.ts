import type { Job } from '../../core/jobs/index.ts';
import { MINUTE, SECOND } from './time.ts';

/** Removes what has been kept for as long as config says. */
export const retain: Job = {
  name: 'retain',
  everyMs: 10 * MINUTE,
  concurrency: 1,
  lockLifetimeMs: 60 * SECOND,
  run: async ({ work }, signal) => work.retain(signal),
};
