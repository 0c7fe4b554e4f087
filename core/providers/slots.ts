/** Limits how much runs at once. */

export interface Slots {
  /** Waits for a slot and gives what frees it; undefined where none was free in time. */
  enter(waitMs: number): Promise<(() => void) | undefined>;
}

export function createSlots(limit: number): Slots {
  let free = limit;
  const waiting = new Set<() => void>();

  const leave = (): void => {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  };

  return {
    async enter(waitMs) {
      if (free > 0) {
        free -= 1;
        return leave;
      }
      return new Promise((resolve) => {
        const enter = (): void => {
          waiting.delete(enter);
          clearTimeout(timer);
          resolve(leave);
        };
        const timer = setTimeout(() => {
          waiting.delete(enter);
          resolve(undefined);
        }, waitMs);
        waiting.add(enter);
      });
    },
  };
}
