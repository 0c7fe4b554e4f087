/** Who acts on a payment in one order: each actor stops before every message to the database or the provider. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { fireNext, realNow, type TimerOwner } from './timers.ts';

/** What becomes of a message: it gets through, or its answer never comes back. An actor that is killed gets no fate at all. */
export type Fate = 'pass' | 'answer_lost';

export interface Message {
  readonly label: string;
  readonly release: (fate: Fate) => void;
}

export interface Actor extends TimerOwner {
  readonly name: string;
  /** How far the clock of its process is ahead of the database's. */
  readonly skewMs: number;
  /** Its first message waits until this holds. */
  readonly mayBegin: () => boolean;
  /** Messages that wait to be released; the side branches of an actor may have one each. */
  readonly waiting: Message[];
  /** Messages that were released and have no answer yet, and requests on their way to a process or back. */
  underWay: number;
  hasBegun: boolean;
  state: 'acts' | 'done' | 'killed';
}

/** The actor that the running code belongs to; none for what sets up, recovers and looks. */
export const currentActor = new AsyncLocalStorage<Actor>();

export function createActor(name: string, skewMs: number, mayBegin: () => boolean = () => true): Actor {
  const waits = { waiting: [], underWay: 0, timers: [], elapsedMs: 0 };
  return { name, skewMs, mayBegin, ...waits, hasBegun: false, state: 'acts' };
}

/** Waits until the scheduler releases the message; for ever where the actor was killed. */
export async function beforeMessage(label: string): Promise<Fate> {
  const actor = currentActor.getStore();
  if (!actor) return 'pass';
  return new Promise((resolve) => {
    if (actor.state !== 'killed') actor.waiting.push({ label, release: resolve });
  });
}

/** Counts what the actor waits for, so that the scheduler knows when it has come to its next message. */
export async function underWay<T>(run: () => Promise<T>): Promise<T> {
  const actor = currentActor.getStore();
  if (actor) actor.underWay += 1;
  try {
    return await run();
  } finally {
    if (actor) actor.underWay -= 1;
  }
}

/** Runs what the actor does; it is done when that ends, however it ends. */
export function begin(actor: Actor, act: () => Promise<void>): void {
  const run = async (): Promise<void> => {
    await beforeMessage('begins');
    actor.hasBegun = true;
    await act();
  };
  const end = (): void => {
    if (actor.state === 'acts') actor.state = 'done';
  };
  void currentActor.run(actor, run).then(end, end);
}

export function kill(actor: Actor): void {
  actor.state = 'killed';
  actor.waiting.length = 0;
  actor.timers.length = 0;
}

/** So many turns of the loop without anything under way: nothing of this process is on its way to a message any more. */
const QUIET_TURNS = 4;

/** Waits until every actor stands before a message or is done. */
export async function untilAllWait(actors: readonly Actor[]): Promise<void> {
  const isSettled = ({ state, waiting, underWay: open }: Actor): boolean =>
    state === 'killed' || (open === 0 && (state === 'done' || waiting.length > 0));
  const isStill = ({ state, underWay: open, timers }: Actor): boolean =>
    state === 'killed' || (open === 0 && timers.length > 0);
  const end = realNow() + 30_000;
  // A side branch may still be on its way to its next message when the main one stands before its own.
  for (let quiet = 0; ; quiet = actors.every((one) => isSettled(one) || isStill(one)) ? quiet + 1 : 0) {
    if (quiet >= QUIET_TURNS) {
      if (!fireNext(actors)) return;
      quiet = 0;
    }
    if (realNow() > end) {
      const stuck = actors.filter((actor) => !isSettled(actor)).map(({ name }) => name);
      throw new Error(`an actor neither sends nor ends: ${stuck.join(', ')}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
