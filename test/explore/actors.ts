/** The actors of one order. Each actor stops before every message to the database or the provider. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { fireNext, realNow, type TimerOwner } from './timers.ts';

/**
 * The fate of a message: it gets through, or its response is lost. The messages of a killed actor get no fate at all.
 */
export type Fate = 'pass' | 'answer_lost';

export interface Message {
  readonly label: string;
  readonly release: (fate: Fate) => void;
}

export interface Actor extends TimerOwner {
  readonly name: string;
  /** How far the clock of its process is ahead of the database's. */
  readonly skewMs: number;
  /** Its first message waits until this returns true. */
  readonly mayStart: () => boolean;
  /** Messages that wait to be released. The side branches of an actor may have one each. */
  readonly waiting: Message[];
  /** Messages that were released and have no response yet, and requests in transit to or from a process. */
  inProgress: number;
  hasBegun: boolean;
  state: 'acts' | 'done' | 'killed';
}

/** The actor that the running code belongs to. Undefined for code that sets up, recovers and checks. */
export const currentActor = new AsyncLocalStorage<Actor>();

export function createActor(name: string, skewMs: number, mayStart: () => boolean = () => true): Actor {
  const waits = { waiting: [], inProgress: 0, timers: [], elapsedMs: 0 };
  return { name, skewMs, mayStart, ...waits, hasBegun: false, state: 'acts' };
}

/** Waits until the scheduler releases the message. Waits forever if the actor was killed. */
export async function beforeMessage(label: string): Promise<Fate> {
  const actor = currentActor.getStore();
  if (!actor) return 'pass';
  return new Promise((resolve) => {
    if (actor.state !== 'killed') actor.waiting.push({ label, release: resolve });
  });
}

/** Counts what the actor waits for, so that the scheduler knows when the actor has reached its next message. */
export async function trackInProgress<T>(run: () => Promise<T>): Promise<T> {
  const actor = currentActor.getStore();
  if (actor) actor.inProgress += 1;
  try {
    return await run();
  } finally {
    if (actor) actor.inProgress -= 1;
  }
}

/** Runs the actor. It is done when `act` ends, with success or not. */
export function startActor(actor: Actor, act: () => Promise<void>): void {
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

/** Turns of the event loop with nothing in progress, after which no code of this process can still reach a message. */
const QUIET_TURNS = 4;

/** Waits until every actor has reached a message or is done. */
export async function waitUntilAllWait(actors: readonly Actor[]): Promise<void> {
  const isSettled = ({ state, waiting, inProgress: open }: Actor): boolean =>
    state === 'killed' || (open === 0 && (state === 'done' || waiting.length > 0));
  const isStill = ({ state, inProgress: open, timers }: Actor): boolean =>
    state === 'killed' || (open === 0 && timers.length > 0);
  const end = realNow() + 30_000;
  // A side branch may not have reached its next message when the main branch has.
  for (let quiet = 0; ; quiet = actors.every((one) => isSettled(one) || isStill(one)) ? quiet + 1 : 0) {
    if (quiet >= QUIET_TURNS) {
      if (!fireNext(actors)) return;
      quiet = 0;
    }
    if (realNow() > end) {
      const stuck = actors.filter((actor) => !isSettled(actor)).map(({ name }) => name);
      throw new Error(`actors neither send a message nor end: ${stuck.join(', ')}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
