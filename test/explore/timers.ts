/**
 * Timers of actors. They fire when no actor can proceed otherwise, in the order in which they were set, whatever the
 * real clock says. So the order of messages does not depend on the speed of this machine.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Timers that collect work or pause between two tries: they fire whatever else waits. */
const SOON_MS = 250;
/**
 * Timers of polls: they fire only when their actor could not proceed otherwise. Longer timers are limits, which are
 * never reached.
 */
const PATIENT_MS = 1000;

export interface TimerOwner {
  readonly state: 'acts' | 'done' | 'killed';
  readonly waiting: readonly unknown[];
  readonly timers: ActorTimer[];
  /** How far its timers have advanced its clock of `performance`. */
  elapsedMs: number;
}

let lastNumber = 0;
const realPerformanceNow = performance.now.bind(performance);

/** The real time in ms, for code that watches the explorer itself. */
export const realNow = (): number => realPerformanceNow();

export class ActorTimer {
  readonly actor: TimerOwner;
  readonly ms: number;
  readonly #run: () => void;
  number = 0;
  dueMs = 0;

  constructor(actor: TimerOwner, ms: number, run: () => void) {
    [this.actor, this.ms, this.#run] = [actor, ms, AsyncLocalStorage.bind(run)];
    this.refresh();
  }

  refresh(): this {
    this.clear();
    [this.number, this.dueMs] = [(lastNumber += 1), this.actor.elapsedMs + this.ms];
    if (this.ms < PATIENT_MS) this.actor.timers.push(this);
    return this;
  }

  clear(): void {
    const { timers } = this.actor;
    if (timers.includes(this)) timers.splice(timers.indexOf(this), 1);
  }

  fire(): void {
    this.clear();
    this.actor.elapsedMs = Math.max(this.actor.elapsedMs, this.dueMs);
    this.#run();
  }

  /** Like Node's `unref`: an actor's timers never keep the process alive. */
  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }
}

/** Fires the next timer if one is due. Returns false when all actors wait for the scheduler. */
export function fireNext(actors: readonly TimerOwner[]): boolean {
  const alive = actors.filter(({ state }) => state !== 'killed');
  const isIdle = ({ state, waiting }: TimerOwner): boolean => state === 'acts' && waiting.length === 0;
  const first = (timers: readonly ActorTimer[]): ActorTimer | undefined =>
    timers.toSorted((one, other) => one.number - other.number)[0];
  const next =
    first(alive.flatMap(({ timers }) => timers.filter(({ ms }) => ms < SOON_MS))) ??
    first(alive.filter(isIdle).flatMap(({ timers }) => timers));
  next?.fire();
  return next !== undefined;
}
