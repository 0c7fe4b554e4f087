import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { createMigrations } from '../../core/engine/migrations/index.ts';
import { MINUTE } from '../../core/base/async/time.ts';

/** Maximum number of documents per run. The rest follows after all other jobs had their turn. */
const BATCH = 200;

/** Moves documents to the next schema version, once an operator has requested that. */
export const migrateDatabase: Job<Gateway> = {
  name: 'migrate-database',
  everyMs: MINUTE,
  lockLifetimeMs: 2 * MINUTE,
  async run({ connection }) {
    return createMigrations({ connection, now: () => new Date() }).next(BATCH);
  },
};
