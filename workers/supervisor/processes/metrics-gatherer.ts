/**
 * The operators' listener's side of a scrape: asks the supervisor for the metrics of all other processes of the host.
 */
import type { Gathered } from '../../../core/base/metrics/index.ts';
import { SECOND } from '../../../core/base/async/time.ts';
import { withTimeLimit } from '../../../core/base/async/time-limit.ts';
import { createDeferred } from './deferred.ts';
import type { ToChild, ToSupervisor } from './messages.ts';

export interface MetricsGatherer {
  /** `snapshot`: the metrics of this process. Rejects if the supervisor does not answer in time. */
  gather(snapshot: string): Promise<Gathered>;
  receive(message: Extract<ToChild, { type: 'gathered' }>): void;
}

/** Longer than the supervisor waits for a process that does not answer. */
const limitMs = 3 * SECOND;

export function createMetricsGatherer(send: (message: ToSupervisor) => void): MetricsGatherer {
  const waiting = new Map<number, (gathered: Gathered) => void>();
  let lastId = 0;

  return {
    async gather(snapshot) {
      lastId += 1;
      const id = lastId;
      const answer = createDeferred<Gathered>();
      waiting.set(id, (gathered) => answer.resolve(gathered));
      send({ type: 'gather', id, snapshot });
      try {
        return await withTimeLimit(limitMs, async () => answer.promise);
      } finally {
        waiting.delete(id);
      }
    },
    receive({ id, gathered }) {
      waiting.get(id)?.(gathered);
    },
  };
}
