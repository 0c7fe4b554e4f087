import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { SECOND } from '../../core/base/async/time.ts';

/**
 * While payments are paid. Who shows a client's sum adds what is not counted yet, so that should be little; and each look
 * walks over what was due in the minutes before (`due-floor.ts`), so looks should be few.
 */
const PAUSE_MS = 1000;

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
