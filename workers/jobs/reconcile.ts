import type { Job } from '../../core/jobs/index.ts';
import { SECOND } from './time.ts';

/** Asks about payments that nobody was told of: no callback, no answer, no wish. */
export const reconcile: Job = {
  name: 'reconcile',
  everyMs: 5 * SECOND, // between two runs the worker knows when the next question is due
  concurrency: 1,
  lockLifetimeMs: 30 * SECOND,
  run: async ({ work }, signal) => work.askProviders(signal),
};
