import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';

/** Rows per transaction: enough that its round trips cost little, but few enough that it is short. */
const BATCH = 100;
/**
 * When callbacks arrive slowly, this pace lets one transaction apply several of them. A single callback does not wait.
 */
const PACE_MS = 20;
/**
 * From 250 callbacks per second on, the pace grows with the rows of a run. A transaction costs as much CPU time as
 * several rows, and under load the time that it saves is worth more than the wait.
 */
const PACE_PER_ROW_MS = 4;
const MAX_PACE_MS = 60;
/** While one batch waits for the database, the next one is prepared. */
const BATCHES_AT_ONCE = 2;

/** Applies the callbacks of providers. It never calls a provider, so no provider can delay it. */
export const drainCallbacks: Job<Gateway> = {
  name: 'drain-callbacks',
  isSwept: true,
  everyMs: 5 * MINUTE,
  lockLifetimeMs: 30 * SECOND,
  paceMs: (rows) => Math.min(Math.max(PACE_MS, PACE_PER_ROW_MS * rows), MAX_PACE_MS),
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
    // A batch that is not full may be half of one whose lease expired. The other half is due then.
    return { done, more: false, nextDueAt: await callbacks.nextDueAt() };
  },
};
