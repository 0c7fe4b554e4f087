import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';

/** Maximum per run. The rest follows after all other jobs had their turn. */
const BATCH = 100;

/** Expires payment requests that were never submitted. */
export const expirePayments: Job<Gateway> = {
  name: 'expire-payments',
  isSwept: true,
  everyMs: 5 * MINUTE,
  lockLifetimeMs: 30 * SECOND,
  async run({ payments: { expiry } }, signal) {
    const due = await expiry.due(BATCH);
    let done = 0;
    for (const id of due) {
      if (signal.aborted) break;
      if (await expiry.expire(id)) done += 1;
    }
    // If no payment of a whole batch can be expired, an immediate second run would find the same payments.
    return { done, more: done > 0 && due.length === BATCH };
  },
};
