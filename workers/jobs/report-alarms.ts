import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';

/** Of one run; more than this comes again after all other jobs had their turn. */
const BATCH = 20;

/** Reports alarms that were opened to the operator, and reminds of those that stay open; what has passed or is mended is resolved first. */
export const reportAlarms: Job<Gateway> = {
  name: 'report-alarms',
  everyMs: 10 * SECOND,
  lockLifetimeMs: MINUTE,
  async run({ alarms }) {
    await alarms.resolvePassed();
    await alarms.resolveRecovered();
    const done = await alarms.reportDue(BATCH);
    return { done, more: done === BATCH };
  },
};
