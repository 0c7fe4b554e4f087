/** The listener's side of a scrape: asks the supervisor what all other processes of the host counted. */
import type { Gathered } from '../../core/base/metrics/index.ts';
import { SECOND } from '../../core/base/async/time.ts';
import { withTimeLimit } from '../../core/base/async/time-limit.ts';
import { createDeferred } from './deferred.ts';
import type { ToChild, ToSupervisor } from './messages.ts';

export interface Gathering {
  /** `snapshot`: of this process. Rejects where the supervisor does not answer in time. */
  gather(snapshot: string): Promise<Gathered>;
  receive(message: Extract<ToChild, { type: 'gathered' }>): void;
}

/** Longer than the supervisor waits for a process that does not answer. */
const limitMs = 3 * SECOND;

export function createGathering(send: (message: ToSupervisor) => void): Gathering {
  const asked = new Map<number, (gathered: Gathered) => void>();
  let lastId = 0;

  return {
    async gather(snapshot) {
      lastId += 1;
      const id = lastId;
      const answer = createDeferred<Gathered>();
      asked.set(id, (gathered) => answer.resolve(gathered));
      send({ type: 'gather', id, snapshot });
      try {
        return await withTimeLimit(limitMs, async () => answer.promise);
      } finally {
        asked.delete(id);
      }
    },
    receive({ id, gathered }) {
      asked.get(id)?.(gathered);
    },
  };
}
