import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/jobs/index.ts';
import { DAY, MINUTE } from '../../core/time.ts';

/** Removes what has been kept for as long as config says; the inbox and others expire by the database itself. */
export const purgeExpired: Job<Gateway> = {
  name: 'purge-expired',
  everyMs: 10 * MINUTE,
  lockLifetimeMs: MINUTE,
  async run({ notifications, providers, config }) {
    const before = new Date(Date.now() - config.callbacks.keepDays * DAY);
    const purged = [await notifications.purge(before), await providers.exchangeLog.purge(before)];
    return { done: purged.reduce((sum, count) => sum + count), more: false };
  },
};
