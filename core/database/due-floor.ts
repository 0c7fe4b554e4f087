/**
 * Where a look for what is due begins in its index. Entries that were deleted of late are still in there, because WiredTiger
 * keeps them for minutes for readers of the past, and a look from the beginning walks over each: at 500 documents a second
 * over more than a hundred thousand. So looks begin a little before what was the longest due of late. What is stored later
 * under an earlier time is found by the looks from the beginning, of which there is one every few seconds.
 */

export interface DueFloor {
  /** Where this look is to begin; undefined: at the beginning. */
  begin(): Date | undefined;
  /** A look found so many, and nothing is due for longer than the first of them. */
  raise(oldest: Date, found: number): void;
  /** This is due: no look may begin behind it. */
  lower(dueAt: Date): void;
}

export interface DueFloorSetup {
  readonly clock?: () => number;
  /** A process that has found fewer has hardly anything to walk over. */
  readonly afterFound?: number;
}

/**
 * What is due at once is stored under a time of some seconds ago (`dueAtOnce`), and a write may take some until it can be
 * seen.
 */
export const floorMarginMs = 5000;
export const wholeLookEveryMs = 5000;

export function createDueFloor({ clock = () => performance.now(), afterFound = 1000 }: DueFloorSetup = {}): DueFloor {
  let floor: Date | undefined;
  let seen = 0;
  let beganAt = -Infinity;

  return {
    begin() {
      if (seen >= afterFound && clock() - beganAt < wholeLookEveryMs) return floor;
      beganAt = clock();
      return undefined;
    },
    raise(oldest, found) {
      seen += found;
      floor = new Date(oldest.getTime() - floorMarginMs);
    },
    lower(dueAt) {
      if (floor && dueAt < floor) floor = dueAt;
    },
  };
}
