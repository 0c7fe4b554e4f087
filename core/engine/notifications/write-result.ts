/** Writes the result of an attempt although the database is away for a while: else the receiver would get it again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../../database/database-away.ts';

const everyMs = 500;

/** `write` may be repeated; `until`, on the clock of `performance`, the lease holds. Ends early with the signal. */
export async function writeResult(
  write: () => Promise<boolean>,
  { until, signal }: { readonly until: number; readonly signal: AbortSignal },
): Promise<boolean> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isDatabaseAway(error) || signal.aborted || performance.now() + everyMs > until) throw error;
    }
    // The signal ends the pause, and the next failure the loop.
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
