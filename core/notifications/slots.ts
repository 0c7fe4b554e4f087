/** How many attempts may be under way at once: in this process, and towards one receiver. */
import type { Breaker } from './breaker.ts';

export interface Slots {
  /** False where there is no room for one more towards this receiver. */
  take(receiver: string): boolean;
  giveBack(receiver: string): void;
  /** Over all receivers. */
  free(): number;
  /** Receivers that have all they may have. */
  full(): string[];
}

/** Attempts under way at once in this process, over all receivers. */
export const concurrency = 64;

export function createSlots(breaker: Breaker, perReceiverConcurrency: number): Slots {
  const underWay = new Map<string, number>();
  let total = 0;

  function capacity(receiver: string): number {
    if (breaker.openForMs(receiver) > 0) return 0;
    return breaker.isProbing(receiver) ? 1 : perReceiverConcurrency;
  }

  return {
    take(receiver) {
      const count = underWay.get(receiver) ?? 0;
      if (total >= concurrency || count >= capacity(receiver)) return false;
      underWay.set(receiver, count + 1);
      total += 1;
      return true;
    },
    giveBack(receiver) {
      const count = (underWay.get(receiver) ?? 0) - 1;
      if (count > 0) underWay.set(receiver, count);
      else underWay.delete(receiver);
      total -= 1;
    },
    free: () => concurrency - total,
    full: () => [...underWay].filter(([receiver, count]) => count >= capacity(receiver)).map(([receiver]) => receiver),
  };
}
