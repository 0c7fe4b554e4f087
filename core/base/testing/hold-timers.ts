export interface HeldTimers {
  /** Fires every timer that is set and not cleared. Returns how many. */
  endAll(): number;
  restore(): void;
}

/** Replaces timers with timers that only the test fires, however long the machine takes for other work. */
export function holdTimers(): HeldTimers {
  const { setTimeout, clearTimeout } = globalThis;
  const held = new Map<unknown, () => void>();
  const hold = (act: () => void): object => {
    const timer = { unref: () => timer };
    held.set(timer, act);
    return timer;
  };
  const clear = (timer: unknown): void => void held.delete(timer);
  Object.assign(globalThis, { setTimeout: hold, clearTimeout: clear });
  return {
    endAll() {
      const acts = [...held.values()];
      held.clear();
      for (const act of acts) act();
      return acts.length;
    },
    restore: () => void Object.assign(globalThis, { setTimeout, clearTimeout }),
  };
}
