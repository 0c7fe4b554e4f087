import type { Job } from '../../core/jobs/index.ts';
import { SECOND } from './time.ts';

/** Relays what a process left in an outbox when it died between settling and relaying. */
export const relayOutbox: Job = {
  name: 'relay-outbox',
  everyMs: 5 * SECOND,
  concurrency: 1,
  lockLifetimeMs: 30 * SECOND,
  run: async ({ work }, signal) => work.relayOutbox(signal),
};
