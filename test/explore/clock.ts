/**
 * One clock for everything. It moves only when the scheduler moves it, and each actor may read it with its own error.
 */
import { currentActor } from './actors.ts';

const RealDate = Date;
const beganMs = RealDate.now();
let nowMs = beganMs;

export const clock = {
  /** The time of the database server. */
  now: (): Date => new RealDate(nowMs),
  pass(ms: number): void {
    nowMs += ms;
  },
  /** Sets the clock to the real time, which all other programs use. */
  resetToRealTime(): void {
    nowMs = RealDate.now();
  },
  passedMs: (): number => nowMs - beganMs,
};

/** From now on `new Date()` and `Date.now()` read this clock. */
export function installClock(): void {
  const read = (): number => nowMs + (currentActor.getStore()?.skewMs ?? 0);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: unknown[], newTarget): object =>
      Reflect.construct(target, given.length ? given : [read()], newTarget) as object,
    get: (target, member, receiver): unknown => (member === 'now' ? read : Reflect.get(target, member, receiver)),
  });
}
