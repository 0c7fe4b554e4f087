import type { Job } from '../../core/jobs/index.ts';
import { SECOND } from './time.ts';

/** Expires requests that were never submitted. */
export const expirePayments: Job = {
  name: 'expire-payments',
  everyMs: 10 * SECOND,
  concurrency: 1,
  lockLifetimeMs: 30 * SECOND,
  run: async ({ work }, signal) => work.expirePayments(signal),
};
