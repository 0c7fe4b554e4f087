import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';

/** Maximum per run. The rest follows after all other jobs had their turn. */
const BATCH = 20;

/** Resolves alarms whose cause is gone, then reports new alarms to the operators and reminds them of open ones. */
export const reportAlarms: Job<Gateway> = {
  name: 'report-alarms',
  everyMs: 30 * SECOND,
  lockLifetimeMs: MINUTE,
  async run({ alarms }) {
    await alarms.resolvePassed();
    await alarms.resolveRecovered();
    const done = await alarms.reportDue(BATCH);
    return { done, more: done === BATCH };
  },
};
