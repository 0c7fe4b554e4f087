import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { SECOND } from '../../core/base/async/time.ts';

/** Rows of one transaction: large enough that its round trips cost little, small enough to be short. */
const BATCH = 100;
/** Where callbacks trickle in, several are applied by one transaction instead of one each; a single one waits for nothing. */
const PACE_MS = 20;
/** While one batch waits for the database, the next is prepared. */
const BATCHES_AT_ONCE = 2;

/** Applies what providers reported. It never calls out, so no provider keeps it waiting. */
export const drainCallbacks: Job<Gateway> = {
  name: 'drain-callbacks',
  everyMs: 5 * SECOND, // the net under notices that a crash lost
  lockLifetimeMs: 30 * SECOND,
  paceMs: PACE_MS,
  async run({ callbacks }, signal) {
    let done = 0;
    const drain = async (): Promise<boolean> => {
      const drained = await callbacks.drain(BATCH);
      done += drained;
      return drained === BATCH && !signal.aborted;
    };
    const drainAll = async (): Promise<void> => {
      while (await drain());
    };
    if (await drain()) await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, drainAll));
    // A batch that is not full may be the half of one whose lease expired: then the rest is due.
    return { done, more: false, nextDueAt: await callbacks.nextDueAt() };
  },
};
