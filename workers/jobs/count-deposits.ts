import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/jobs/index.ts';
import { SECOND } from '../../core/time.ts';

/** While payments are paid: who shows a client's sum adds what is not counted yet, so that should be little. */
const PAUSE_MS = 250;

/** Counts what was paid and refunded into the sums of clients. */
export const countDeposits: Job<Gateway> = {
  name: 'count-deposits',
  everyMs: 5 * SECOND,
  lockLifetimeMs: 30 * SECOND,
  async run({ payments }, signal) {
    const done = await payments.deposits.count(signal);
    return { done, more: false, nextDueAt: done > 0 ? new Date(Date.now() + PAUSE_MS) : undefined };
  },
};
