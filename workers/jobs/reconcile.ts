import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { SECOND } from '../../core/base/async/time.ts';

/** Of one run; more than this comes again after all other jobs had their turn. */
const BATCH = 100;
/** Payments at once, in all and of one provider: one that hangs keeps no other waiting. */
const LANES = 16;
const LANES_PER_ADAPTER = 4;

/** Of one run: each is checked alone. */
const SUSPECTS = 5;

/** Brings payments to an end that nothing else ends: what was requested, and what is due by the adapters' policies. */
export const reconcile: Job<Gateway> = {
  name: 'reconcile',
  everyMs: 5 * SECOND, // between two runs the worker knows when the next check is due
  lockLifetimeMs: 30 * SECOND,
  async run({ payments: { reconciler } }, signal) {
    let done = 0;
    const atAdapter = new Map<string, number>();
    const lanes = new Set<Promise<void>>();
    const failures: unknown[] = [];

    async function lane(): Promise<void> {
      while (done < BATCH && !signal.aborted && failures.length === 0) {
        const busy = [...atAdapter].flatMap(([name, count]) => (count >= LANES_PER_ADAPTER ? [name] : []));
        const claimed = await reconciler.claim(busy);
        if (!claimed) return;
        done += 1;
        const names = new Set(claimed.attempts.map(({ adapter }) => adapter));
        for (const name of names) atAdapter.set(name, (atAdapter.get(name) ?? 0) + 1);
        // More may be due, and this one may wait for a provider that hangs.
        if (lanes.size < LANES) open();
        await reconciler.reconcile(claimed);
        for (const name of names) atAdapter.set(name, atAdapter.get(name)! - 1);
      }
    }

    function open(): void {
      // Each failure is heard here: of several lanes that fail, a race would hear only the first.
      const run: Promise<void> = lane()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => lanes.delete(run));
      lanes.add(run);
    }

    open();
    while (lanes.size) await Promise.race(lanes);
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
