/** Puts the timers of actors, and their clock of `performance`, in the place of Node's. */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { currentActor } from './actors.ts';
import { clock } from './clock.ts';
import { ActorTimer, realNow } from './timers.ts';

type Run = (...given: unknown[]) => void;
type TimerHandle = ReturnType<typeof setTimeout> | ActorTimer | undefined;

/** Later than all that was ever read of the real one, so that nothing is in the future of an actor. */
const ACTORS_BEGIN_MS = 1e12;

/** From here on the timers of actors, and their clock of `performance`, are these. */
export function installTimers(): void {
  const real = { setTimeout, clearTimeout, setInterval, clearInterval };
  const later = (run: Run, ms = 0, ...given: unknown[]): TimerHandle => {
    const actor = currentActor.getStore();
    return actor ? new ActorTimer(actor, ms, () => run(...given)) : real.setTimeout(run, ms, ...given);
  };
  const again = (run: Run, ms = 0, ...given: unknown[]): TimerHandle => {
    const actor = currentActor.getStore();
    // What repeats keeps something alive while others take long: here nothing takes long.
    return actor ? new ActorTimer(actor, Infinity, run) : real.setInterval(run, ms, ...given);
  };
  const clear = (timer: TimerHandle): void => {
    if (timer instanceof ActorTimer) timer.clear();
    else real.clearTimeout(timer);
  };
  Object.assign(globalThis, { setTimeout: later, setInterval: again, clearTimeout: clear, clearInterval: clear });
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
        clear(timer);
        reject(signal!.reason as Error);
      };
      const timer = later(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value!);
      }, ms);
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
    });
  syncBuiltinESMExports();
}
