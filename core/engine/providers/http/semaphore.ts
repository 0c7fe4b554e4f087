/** Limits how many operations run at the same time. */

/** Returns the permit. Call it once. */
export type Release = () => void;

export interface Semaphore {
  /** Returns a permit, or undefined if none is free. */
  tryAcquire(): Release | undefined;
  /** Waits for a permit. Resolves to undefined if none became free in time. */
  acquire(waitMs: number): Promise<Release | undefined>;
  /** The number of permits that are free now. */
  readonly free: number;
}

export function createSemaphore(limit: number): Semaphore {
  let free = limit;
  const waiting = new Set<() => void>();

  const release = (): void => {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  };
  function tryAcquire(): Release | undefined {
    if (free === 0) return undefined;
    free -= 1;
    return release;
  }

  return {
    tryAcquire,
    async acquire(waitMs) {
      const permit = tryAcquire();
      if (permit) return permit;
      return new Promise((resolve) => {
        const take = (): void => {
          waiting.delete(take);
          clearTimeout(timer);
          resolve(release);
        };
        const timer = setTimeout(() => {
          waiting.delete(take);
          resolve(undefined);
        }, waitMs);
        waiting.add(take);
      });
    },
    get free() {
      return free;
    },
  };
}
