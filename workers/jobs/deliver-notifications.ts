import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';

/** Delivers due notifications to merchants, first attempts before retries. */
export const deliverNotifications: Job<Gateway> = {
  name: 'deliver-notifications',
  isSwept: true,
  everyMs: 5 * MINUTE,
  lockLifetimeMs: 30 * SECOND,
  async run({ notifications, worker }, signal) {
    const { delivered, failed, nextDueAt } = await notifications.deliverDue({ worker, signal });
    return { done: delivered + failed, more: false, nextDueAt: nextDueAt ?? undefined };
  },
  pollSoon: ({ notifications }) => notifications.pollSoon(),
};
