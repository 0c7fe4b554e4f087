import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { countVolumes } from '../../core/engine/payments/index.ts';
import { MINUTE, SECOND } from '../../core/base/async/time.ts';

/** Adds up volume and success of the last ten minutes, for the console. A new gateway counts the last two weeks. */
export const countVolumesJob: Job<Gateway> = {
  name: 'count-volumes',
  everyMs: 30 * SECOND,
  lockLifetimeMs: 2 * MINUTE,
  async run({ connection, config, httpDeps: { now } }) {
    return countVolumes({ connection, adapters: Object.keys(config.adapters), now });
  },
};
