/** Replaces Node's timers and the clock of `performance` for actors. */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { currentActor } from './actors.ts';
import { clock } from './clock.ts';
import { ActorTimer, realNow } from './timers.ts';

type Run = (...given: unknown[]) => void;
type TimerHandle = ReturnType<typeof setTimeout> | ActorTimer | undefined;

/** Later than any time that was read from the real clock, so that no earlier time is in an actor's future. */
const ACTORS_BEGIN_MS = 1e12;

/** From now on actors use these timers and this clock of `performance`. */
export function installTimers(): void {
  const real = { setTimeout, clearTimeout, setInterval, clearInterval };
  const setTimer = (run: Run, ms = 0, ...given: unknown[]): TimerHandle => {
    const actor = currentActor.getStore();
    return actor ? new ActorTimer(actor, ms, () => run(...given)) : real.setTimeout(run, ms, ...given);
  };
  const setRepeatingTimer = (run: Run, ms = 0, ...given: unknown[]): TimerHandle => {
    const actor = currentActor.getStore();
    // A repeating timer keeps something alive during long work. Nothing takes long here.
    return actor ? new ActorTimer(actor, Infinity, run) : real.setInterval(run, ms, ...given);
  };
  const clearTimer = (timer: TimerHandle): void => {
    if (timer instanceof ActorTimer) timer.clear();
    else real.clearTimeout(timer);
  };
  Object.assign(globalThis, {
    setTimeout: setTimer,
    setInterval: setRepeatingTimer,
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
  });
  performance.now = () => {
    const actor = currentActor.getStore();
    return actor ? ACTORS_BEGIN_MS + clock.passedMs() + actor.elapsedMs : realNow();
  };

  const promises = createRequire(import.meta.url)('node:timers/promises') as {
    setTimeout: <T>(ms?: number, value?: T, options?: { readonly signal?: AbortSignal }) => Promise<T>;
  };
  promises.setTimeout = async (ms, value, { signal } = {}) =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        clearTimer(timer);
        reject(signal!.reason as Error);
      };
      const timer = setTimer(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value!);
      }, ms);
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
    });
  syncBuiltinESMExports();
}
