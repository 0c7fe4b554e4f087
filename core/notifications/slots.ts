/** How many attempts may be under way at once: in this process, towards one receiver, and of one owner. */
import type { Breaker } from './breaker.ts';

/** Whose attempt it is, and where it goes. */
export interface SlotUse {
  readonly receiver: string;
  readonly ownerId: number;
}

export interface Slots {
  /** False where there is no room for one more of these. */
  take(use: SlotUse): boolean;
  giveBack(use: SlotUse): void;
  /** Over all receivers. */
  free(): number;
  /** Receivers and owners that have all they may have, and receivers that may not be asked now. */
  full(): { readonly receivers: readonly string[]; readonly owners: readonly number[] };
}

/** Attempts under way at once in this process, over all receivers. */
export const concurrency = 64;
/** Of them those of one owner, who chooses the receivers: however many, they leave room for others. */
export const perOwner = 24;

export function createSlots(breaker: Breaker, perReceiverConcurrency: number): Slots {
  const byReceiver = new Map<string, number>();
  const byOwner = new Map<number, number>();
  let total = 0;

  function capacity(receiver: string): number {
    if (breaker.openForMs(receiver) > 0) return 0;
    return breaker.isProbing(receiver) ? 1 : perReceiverConcurrency;
  }

  return {
    take({ receiver, ownerId }) {
      const count = byReceiver.get(receiver) ?? 0;
      const ofOwner = byOwner.get(ownerId) ?? 0;
      if (total >= concurrency || ofOwner >= perOwner || count >= capacity(receiver)) return false;
      byReceiver.set(receiver, count + 1);
      byOwner.set(ownerId, ofOwner + 1);
      total += 1;
      return true;
    },
    giveBack({ receiver, ownerId }) {
      lower(byReceiver, receiver);
      lower(byOwner, ownerId);
      total -= 1;
    },
    free: () => concurrency - total,
    full: () => ({
      receivers: [
        ...breaker.open().receivers,
        ...[...byReceiver].flatMap(([receiver, count]) => (count >= capacity(receiver) ? [receiver] : [])),
      ],
      owners: [...byOwner].flatMap(([ownerId, count]) => (count >= perOwner ? [ownerId] : [])),
    }),
  };
}

function lower<K>(counts: Map<K, number>, key: K): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
