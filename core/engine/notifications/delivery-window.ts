/** The number of concurrent attempts to one receiver: as many as it handles without answering more slowly. */
export interface DeliveryWindow {
  readonly size: number;
  answered(answer: AnswerTime): void;
  /** The receiver gave no answer, a 429 or a 5xx. */
  failed(): void;
}

export interface AnswerTime {
  readonly ms: number;
  /** The attempt was the only one in progress from its start to its end. */
  readonly wasAlone: boolean;
  /** Attempts in progress when this one ended, including itself. */
  readonly inProgress: number;
}

const firstSize = 8;
/** An answer within this time is quick, however long the receiver takes for a single attempt. */
const quickMs = 1000;

/**
 * Halves the size after a slow answer or a failure. Adds one after each quick answer while more than half of the size
 * is in use. An answer is slow if it takes twice as long as an attempt that runs alone; a window of one measures that
 * time again.
 */
export function createDeliveryWindow(limit: number): DeliveryWindow {
  let size = Math.min(firstSize, limit);
  let aloneMs = 0;

  function shrink(): void {
    size = Math.max(1, Math.floor(size / 2));
  }

  return {
    get size() {
      return size;
    },
    answered({ ms, wasAlone, inProgress }) {
      if (wasAlone) aloneMs = ms;
      if (ms > Math.max(quickMs, 2 * aloneMs)) shrink();
      else if (2 * inProgress > size) size = Math.min(size + 1, limit);
    },
    failed: shrink,
  };
}
