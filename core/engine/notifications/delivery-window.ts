/** How many attempts at once a receiver is sent: as many as it takes without answering slower for that. */
export interface DeliveryWindow {
  readonly size: number;
  answered(answer: QuickOrSlow): void;
  /** It gave no answer, a 429 or a 5xx. */
  failed(): void;
}

export interface QuickOrSlow {
  readonly ms: number;
  /** From its beginning to its end the attempt was the only one under way. */
  readonly wasAlone: boolean;
  /** At its end, itself included. */
  readonly underWay: number;
}

const firstSize = 8;
/** An answer within this time is quick, whatever the receiver needs for one alone. */
const quickMs = 1000;

/**
 * Half the size after a slow answer or a failure; one more after each quick answer while more than half is in use. Slow
 * is what takes twice as long as an attempt alone, which a window of one measures again.
 */
export function createDeliveryWindow(most: number): DeliveryWindow {
  let size = Math.min(firstSize, most);
  let aloneMs = 0;

  function shrink(): void {
    size = Math.max(1, Math.floor(size / 2));
  }

  return {
    get size() {
      return size;
    },
    answered({ ms, wasAlone, underWay }) {
      if (wasAlone) aloneMs = ms;
      if (ms > Math.max(quickMs, 2 * aloneMs)) shrink();
      else if (2 * underWay > size) size = Math.min(size + 1, most);
    },
    failed: shrink,
  };
}
