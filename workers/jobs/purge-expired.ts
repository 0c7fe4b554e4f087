import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { DAY, MINUTE } from '../../core/base/async/time.ts';

/**
 * Removes documents that are older than config allows. The inbox and other collections have indexes that expire
 * documents.
 */
export const purgeExpired: Job<Gateway> = {
  name: 'purge-expired',
  everyMs: 10 * MINUTE,
  lockLifetimeMs: MINUTE,
  async run({ notifications, providers, config }) {
    const since = (days: number): Date => new Date(Date.now() - days * DAY);
    const { keepDays, keepUndeliveredDays } = config.notifications;
    const purged = [
      await notifications.purge(since(keepDays)),
      keepUndeliveredDays === undefined ? 0 : await notifications.purgeUndelivered(since(keepUndeliveredDays)),
      await providers.exchangeLog.purge(since(config.provider.keepCallsDays)),
    ];
    return { done: purged.reduce((sum, count) => sum + count), more: false };
  },
};
