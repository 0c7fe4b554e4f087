import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { SECOND } from '../../core/base/async/time.ts';

/** Delivers due notifications to merchants, first attempts before retries. */
export const deliverNotifications: Job<Gateway> = {
  name: 'deliver-notifications',
  everyMs: 5 * SECOND, // Needed if the worker that planned the next retry has died.
  lockLifetimeMs: 30 * SECOND,
  async run({ notifications, worker }, signal) {
    const { delivered, failed, nextDueAt } = await notifications.deliverDue({ worker, signal });
    return { done: delivered + failed, more: false, nextDueAt: nextDueAt ?? undefined };
  },
  pollSoon: ({ notifications }) => notifications.pollSoon(),
};
