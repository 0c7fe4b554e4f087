import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { SECOND } from '../../core/base/async/time.ts';

/**
 * The pause between two counts while payments are being paid. A short pause keeps few deposits uncounted: code that
 * shows a client's sum must add them. A long pause keeps polls rare: each poll walks over the index entries of the
 * minutes before (`due-cursor.ts`).
 */
const PAUSE_MS = 1000;

/** Adds payments and refunds to the sums of clients. */
export const countDeposits: Job<Gateway> = {
  name: 'count-deposits',
  everyMs: 5 * SECOND,
  lockLifetimeMs: 30 * SECOND,
  async run({ payments }, signal) {
    const done = await payments.deposits.count(signal);
    return { done, more: false, nextDueAt: done > 0 ? new Date(Date.now() + PAUSE_MS) : undefined };
  },
};
