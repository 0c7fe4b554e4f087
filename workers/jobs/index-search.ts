import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE } from '../../core/base/async/time.ts';

/** Maximum per run. The rest follows after all other jobs had their turn. */
const BATCH = 200;

/** Makes payments that an earlier version stored searchable for operators. */
export const indexSearch: Job<Gateway> = {
  name: 'index-search',
  everyMs: MINUTE,
  lockLifetimeMs: 2 * MINUTE,
  async run({ payments: { searchIndexing } }) {
    return searchIndexing.next(BATCH);
  },
};
