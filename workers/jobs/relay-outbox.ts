import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';

/** Maximum per run. The rest follows after all other jobs had their turn. */
const BATCH = 100;
/** The process that settles a payment relays immediately. An entry that is older than this was left by a crash. */
const LEFT_AFTER_MS = 3 * SECOND;

/** Relays the entries that a process left in an outbox because it died between settling and relaying. */
export const relayOutbox: Job<Gateway> = {
  name: 'relay-outbox',
  isSwept: true,
  everyMs: 5 * MINUTE,
  lockLifetimeMs: 30 * SECOND,
  async run({ payments }) {
    const done = await payments.outbox.sweep(LEFT_AFTER_MS, BATCH);
    return { done, more: done === BATCH };
  },
};
