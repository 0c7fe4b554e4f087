/** Writes the result of an attempt, and retries while the database is unavailable: otherwise it would be sent again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../../database/database-away.ts';

const retryMs = 500;

/** `write` may be repeated. `until`: the end of the lease, by the clock of `performance`. The signal stops retries. */
export async function writeResult(
  write: () => Promise<boolean>,
  { until, signal }: { readonly until: number; readonly signal: AbortSignal },
): Promise<boolean> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isDatabaseAway(error) || signal.aborted || performance.now() + retryMs > until) throw error;
    }
    // The signal ends the pause; the next failure ends the loop.
    await sleep(retryMs, undefined, { signal }).catch(() => undefined);
  }
}
