import { raiseOldBacklogs } from '../../core/engine/alarms/index.ts';
import { watchRefusedCallbacks } from '../../core/engine/callbacks/index.ts';
import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { MINUTE } from '../../core/base/async/time.ts';

/**
 * Raises an alarm if due work of a queue has waited longer than config allows, or if all callbacks of an adapter are
 * refused.
 */
export const watchBacklogs: Job<Gateway> = {
  name: 'watch-backlogs',
  everyMs: MINUTE,
  lockLifetimeMs: MINUTE,
  async run({ connection, alarms: { raise, clear }, providers, config }) {
    const old = await raiseOldBacklogs({ connection, raise }, config.alarms.backlogMinutes);
    const now = (): Date => new Date();
    const refused = await watchRefusedCallbacks({ connection, registry: providers.registry, raise, clear, now });
    return { done: old + refused, more: false };
  },
};
