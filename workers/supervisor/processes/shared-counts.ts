/**
 * Rate limits that the API processes of a host share: the supervisor counts, and the processes ask it. Only requests
 * without a valid key are counted this way. A process does not ask again for a name whose limit is reached in this
 * minute.
 */
import { createMinuteCounts, type CountOne } from '../../../core/engine/access/index.ts';
import { MINUTE } from '../../../core/base/async/time.ts';
import type { ToChild, ToSupervisor } from './messages.ts';

type CountRequest = Extract<ToSupervisor, { type: 'count' }>;
type CountAnswer = Extract<ToChild, { type: 'counted' }>;

/** The supervisor's side. */
export function createCounter(now: () => Date): (request: CountRequest) => CountAnswer {
  const count = createMinuteCounts(now);
  return ({ id, budget, limit, name }) => ({ type: 'counted', id, isCounted: count(budget, limit, name) });
}

export interface SharedCounts {
  readonly countOne: CountOne;
  receive(answer: CountAnswer): void;
}

/** Maximum number of names over their limit that a process remembers. */
const maxFull = 50_000;

/** The API process's side. */
export function createSharedCounts(ask: (request: CountRequest) => void, now: () => Date): SharedCounts {
  const waiting = new Map<number, (isCounted: boolean) => void>();
  const full = new Set<string>();
  let minute = Number.NaN;
  let lastId = 0;

  return {
    async countOne(budget, limit, name) {
      const current = Math.floor(now().getTime() / MINUTE);
      if (current !== minute) full.clear();
      minute = current;
      const key = `${budget}: ${name}`;
      if (full.has(key)) return false;
      lastId += 1;
      const id = lastId;
      const isCounted = await new Promise<boolean>((resolve) => {
        waiting.set(id, resolve);
        ask({ type: 'count', id, budget, limit, name });
      });
      if (!isCounted && minute === current && full.size < maxFull) full.add(key);
      return isCounted;
    },
    receive({ id, isCounted }) {
      waiting.get(id)?.(isCounted);
      waiting.delete(id);
    },
  };
}
