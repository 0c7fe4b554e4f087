/** Lets one waiter sleep until it is notified of a change. */
export interface Signal {
  notify(): void;
  /** True if it was notified since `reset`. */
  isPending(): boolean;
  reset(): void;
  /** Resolves when notified, immediately if it was notified since `reset`, and after `ms` at the latest. */
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
