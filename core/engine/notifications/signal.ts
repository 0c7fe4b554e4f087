/** Lets one waiter sleep until it is notified of something new. */
export interface Signal {
  notify(): void;
  /** Notified since `reset`. */
  isPending(): boolean;
  reset(): void;
  /** Resolves when notified, at once where it was already, and after so many milliseconds at the latest. */
  wait(ms: number): Promise<void>;
}

export function createSignal(): Signal {
  let pending = false;
  let resume = () => {};
  return {
    notify() {
      pending = true;
      resume();
    },
    isPending: () => pending,
    reset() {
      pending = false;
    },
    async wait(ms) {
      if (pending) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
