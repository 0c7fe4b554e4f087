import type { Job } from '../../core/jobs/index.ts';
import { SECOND } from './time.ts';

/** Fetches, completes and repeats what a payment waits for, as soon as somebody wishes it. */
export const askProviders: Job = {
  name: 'ask-providers',
  concurrency: 1,
  lockLifetimeMs: 30 * SECOND,
  run: async ({ work }, signal) => work.askProviders(signal),
};
