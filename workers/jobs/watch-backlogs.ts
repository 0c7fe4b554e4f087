import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/jobs/index.ts';
import { MINUTE, SECOND } from '../../core/time.ts';

/** Raises an alarm where what is due in a queue has waited for longer than config allows. */
export const watchBacklogs: Job<Gateway> = {
  name: 'watch-backlogs',
  everyMs: 30 * SECOND,
  lockLifetimeMs: MINUTE,
  async run({ callbacks, notifications, payments, alarms, config }) {
    const queues = { callbacks, notifications, reconcile: payments.reconciler };
    const { backlogMinutes } = config.alarms;
    let done = 0;
    for (const [id, queue] of Object.entries(queues)) {
      const dueAt = await queue.nextDueAt();
      const minutes = dueAt ? (Date.now() - dueAt.getTime()) / MINUTE : 0;
      if (minutes <= backlogMinutes) continue;
      alarms.raise('backlog_old', { type: 'queue', id }, `the oldest has waited for ${Math.floor(minutes)} min`);
      done += 1;
    }
    return { done, more: false };
  },
};
