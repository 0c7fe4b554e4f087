import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';

/** Maximum per run. The rest follows after all other jobs had their turn. */
const BATCH = 100;
/** Maximum concurrent checks, in total and per adapter, so that a provider that hangs does not delay the others. */
const CONCURRENT_CHECKS = 16;
const CHECKS_PER_ADAPTER = 4;

/** Maximum number of suspects per run. Each suspect is checked alone. */
const SUSPECTS = 5;

/** Settles payments that no callback settles: requested checks, and checks that are due by the adapters' policies. */
export const reconcile: Job<Gateway> = {
  name: 'reconcile',
  isSwept: true,
  everyMs: 5 * MINUTE,
  lockLifetimeMs: 30 * SECOND,
  async run({ payments: { reconciler } }, signal) {
    let done = 0;
    const atAdapter = new Map<string, number>();
    const running = new Set<Promise<void>>();
    const failures: unknown[] = [];

    async function checkDue(): Promise<void> {
      while (done < BATCH && !signal.aborted && failures.length === 0) {
        const busy = [...atAdapter].flatMap(([name, count]) => (count >= CHECKS_PER_ADAPTER ? [name] : []));
        const claimed = await reconciler.claim(busy);
        if (!claimed) return;
        done += 1;
        const names = new Set(claimed.attempts.map(({ adapter }) => adapter));
        for (const name of names) atAdapter.set(name, (atAdapter.get(name) ?? 0) + 1);
        // More checks may be due, and this one may wait for a provider that hangs.
        if (running.size < CONCURRENT_CHECKS) open();
        await reconciler.reconcile(claimed);
        for (const name of names) atAdapter.set(name, atAdapter.get(name)! - 1);
      }
    }

    function open(): void {
      // Every failure is recorded here, because `Promise.race` reports only the first of several.
      const run: Promise<void> = checkDue()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(run));
      running.add(run);
    }

    open();
    while (running.size) await Promise.race(running);
    if (failures.length > 0) throw failures[0];
    for (let alone = 0; alone < SUSPECTS && !signal.aborted; alone += 1) {
      const suspect = await reconciler.claimSuspect();
      if (!suspect) break;
      done += 1;
      await reconciler.reconcile(suspect);
    }
    return { done, more: done >= BATCH, nextDueAt: await reconciler.nextDueAt() };
  },
};
