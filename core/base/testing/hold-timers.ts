export interface HeldTimers {
  /** As if the time of every timer that was set, and not cleared, were over. */
  endAll(): void;
  restore(): void;
}

/** Timers that only a test ends, however long its machine takes for anything else. */
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
    },
    restore: () => void Object.assign(globalThis, { setTimeout, clearTimeout }),
  };
}
