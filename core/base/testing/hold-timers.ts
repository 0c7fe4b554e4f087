export interface HeldTimers {
  /** Fires every timer that is set and not cleared. Returns how many. */
  endAll(): number;
  /** How long each timer that is set waits, in milliseconds. */
  waits(): number[];
  restore(): void;
}

/** Replaces timers with timers that only the test fires, however long the machine takes for other work. */
export function holdTimers(): HeldTimers {
  const { setTimeout, clearTimeout } = globalThis;
  const held = new Map<unknown, { readonly act: () => void; readonly ms: number }>();
  const hold = (act: () => void, ms: number): object => {
    const timer = { unref: () => timer };
    held.set(timer, { act, ms });
    return timer;
  };
  const clear = (timer: unknown): void => void held.delete(timer);
  Object.assign(globalThis, { setTimeout: hold, clearTimeout: clear });
  return {
    endAll() {
      const acts = [...held.values()];
      held.clear();
      for (const { act } of acts) act();
      return acts.length;
    },
    waits: () => [...held.values()].map(({ ms }) => ms),
    restore: () => void Object.assign(globalThis, { setTimeout, clearTimeout }),
  };
}
