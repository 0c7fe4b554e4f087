/**
 * A due cursor is the time at which a poll for due documents starts in the index of due times.
 *
 * Index entries of recently deleted documents stay in the index for minutes, because WiredTiger keeps them for readers
 * of the past. A poll from the start of the index walks over each of them: more than a hundred thousand at 500
 * documents per second. So polls start a little before the oldest due document of the last poll. A document that is
 * stored later with an earlier due time is found by a full scan from the start of the index, which runs every
 * `fullScanEveryMs`.
 */

export interface DueCursor {
  /** Where this poll must start. Undefined: at the start of the index. */
  start(): Date | undefined;
  /** A poll found this many due documents, and none has been due longer than `oldest`. */
  advance(oldest: Date, found: number): void;
  /** A document is due at this time: no poll may start after it. */
  rewind(dueAt: Date): void;
}

export interface DueCursorOptions {
  readonly clock?: () => number;
  /**
   * A process that found fewer documents has hardly any deleted entries to walk over, so it always starts at the start.
   */
  readonly afterFound?: number;
}

/**
 * Work that is due immediately is stored with a due time of some seconds ago (`dueAtOnce`), and a write may take some
 * seconds until readers see it.
 */
export const cursorMarginMs = 5000;
export const fullScanEveryMs = 5000;

export function createDueCursor({
  clock = () => performance.now(),
  afterFound = 1000,
}: DueCursorOptions = {}): DueCursor {
  let cursor: Date | undefined;
  let foundSoFar = 0;
  let lastFullScanAt = -Infinity;

  return {
    start() {
      if (foundSoFar >= afterFound && clock() - lastFullScanAt < fullScanEveryMs) return cursor;
      lastFullScanAt = clock();
      return undefined;
    },
    advance(oldest, found) {
      foundSoFar += found;
      cursor = new Date(oldest.getTime() - cursorMarginMs);
    },
    rewind(dueAt) {
      if (cursor && dueAt < cursor) cursor = dueAt;
    },
  };
}
