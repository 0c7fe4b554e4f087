import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE } from '../../core/base/async/time.ts';

/** Asks providers about payments whose callbacks may be missing. The job `reconcile` does the status checks. */
export const catchUpPayments: Job<Gateway> = {
  name: 'catch-up-payments',
  isSwept: true,
  everyMs: 5 * MINUTE,
  lockLifetimeMs: MINUTE,
  async run({ payments: { catchingUp } }) {
    const { asked, nextStepAt } = await catchingUp.step();
    return { done: asked, more: false, nextDueAt: nextStepAt };
  },
};
