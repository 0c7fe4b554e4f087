import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/jobs/index.ts';
import { SECOND } from '../../core/time.ts';

/** Rows under one claim: what their leases are long enough for. */
const BATCH = 200;

/** Applies what providers reported. It never calls out, so no provider keeps it waiting. */
export const drainCallbacks: Job<Gateway> = {
  name: 'drain-callbacks',
  everyMs: 5 * SECOND, // the net under notices that a crash lost
  lockLifetimeMs: 30 * SECOND,
  async run({ callbacks }, signal) {
    let done = 0;
    let more = true;
    while (more && !signal.aborted) {
      const drained = await callbacks.drain(BATCH);
      done += drained;
      more = drained > 0;
    }
    return { done, more, nextDueAt: await callbacks.nextDueAt() };
  },
};
