/** One clock for everything: it moves only when the scheduler says so, and each actor may read it with an error of its own. */
import { currentActor } from './actors.ts';

const RealDate = Date;
const beganMs = RealDate.now();
let nowMs = beganMs;

export const clock = {
  /** The time of the database's server. */
  now: (): Date => new RealDate(nowMs),
  pass(ms: number): void {
    nowMs += ms;
  },
  /** Back to what all others call now. */
  setRight(): void {
    nowMs = RealDate.now();
  },
  passedMs: (): number => nowMs - beganMs,
};

/** From here on `new Date()` and `Date.now()` read this clock. */
export function installClock(): void {
  const read = (): number => nowMs + (currentActor.getStore()?.skewMs ?? 0);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: unknown[], newTarget): object =>
      Reflect.construct(target, given.length ? given : [read()], newTarget) as object,
    get: (target, member, receiver): unknown => (member === 'now' ? read : Reflect.get(target, member, receiver)),
  });
}
