/** Lets one waiter sleep until something has happened since it last looked. */
export interface Change {
  happened(): void;
  /** Something happened since `forget`. */
  isPending(): boolean;
  forget(): void;
  /** Resolves when something happens, at once where it has already, and after so many milliseconds at the latest. */
  within(ms: number): Promise<void>;
}

export function createChange(): Change {
  let pending = false;
  let wake = () => {};
  return {
    happened() {
      pending = true;
      wake();
    },
    isPending: () => pending,
    forget() {
      pending = false;
    },
    async within(ms) {
      if (pending) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
