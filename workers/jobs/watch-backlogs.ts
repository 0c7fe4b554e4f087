import { raiseOldBacklogs } from '../../core/engine/alarms/index.ts';
import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';

/** Raises an alarm if due work of a queue has waited longer than config allows. */
export const watchBacklogs: Job<Gateway> = {
  name: 'watch-backlogs',
  everyMs: 30 * SECOND,
  lockLifetimeMs: MINUTE,
  async run({ connection, alarms: { raise }, config }) {
    return { done: await raiseOldBacklogs({ connection, raise }, config.alarms.backlogMinutes), more: false };
  },
};
