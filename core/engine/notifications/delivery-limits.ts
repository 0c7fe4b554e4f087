/** How many attempts may be under way at once: in this process, towards one receiver, and of one owner. */
import { createCircuitBreaker, type AttemptResult, type CircuitBreaker } from '../providers/http/circuit-breaker.ts';
import { createSemaphore, type Release, type Semaphore } from '../providers/http/semaphore.ts';
import { createDeliveryWindow, type DeliveryWindow } from './delivery-window.ts';

/** Whose attempt it is, and where it goes. */
export interface DeliveryTarget {
  readonly receiver: string;
  readonly ownerId: number;
}

/** Ends the attempt: says what it came to, and makes room for the next. */
export type EndAttempt = (result: AttemptResult, answer?: AttemptAnswer) => void;

export interface AttemptAnswer {
  readonly timedOut?: boolean;
  /** How long its receiver took to answer. */
  readonly ms?: number;
  /** A 429 or a 5xx. */
  readonly isFailing?: boolean;
}

/** What is looked for among the due rows: those for which there is room. */
export interface RoomFor {
  /** Not of these. */
  readonly receivers: readonly string[];
  readonly owners: readonly number[];
  /** Of these receivers alone. */
  readonly only?: readonly string[];
  /** Of these owners (or of all) only what goes to these receivers. */
  readonly answering?: { readonly owners: readonly number[] | 'all'; readonly receivers: readonly string[] };
}

export interface DeliveryLimits {
  /** Room for one attempt; undefined where there is none, or its receiver is spared. */
  begin(target: DeliveryTarget): EndAttempt | undefined;
  /** Over all receivers. */
  free(): number;
  /** Receivers and owners that have all they may have, and receivers that are spared. */
  full(): RoomFor;
  /** For whom there is room, receivers whose latest attempt timed out left out: they have turns of their own. */
  room(): RoomFor;
  /** Receivers whose latest attempt timed out, the one that was tried longest ago first; none that were seen already. */
  nextTurns(seen: ReadonlySet<string>): (RoomFor & { readonly only: readonly string[] }) | undefined;
  /** Receivers that are spared because they are down, and how long until the first of them may be tried. */
  spared(): { readonly receivers: readonly string[]; readonly forMs: number };
}

export interface DeliveryLimitsSetup {
  /** At most; how many it is depends on how fast the receiver answers. */
  readonly perReceiverConcurrency: number;
  /** Transport failures in a row after which a receiver is spared. */
  readonly breakerFailures: number;
  /** For how long. */
  readonly breakerCoolOffMs: number;
  /** After this an attempt only waits for its receiver, and leaves its place to others. */
  readonly slowAfterMs?: number;
  readonly now: () => Date;
}

/** Attempts under way at once in this process, over all receivers. */
export const concurrency = 160;
/** Of them those of one owner, who chooses the receivers: however many, they leave room for others. */
export const perOwner = 64;
/** The part of both that receivers share that are new or timed out: however many hang, those that answer go on. */
const unprovenShare = 0.5;
/** Slow attempts that wait beside them; each costs a socket and nothing else. */
const slowConcurrency = 256;
const slowPerOwner = 64;
/** Attempts under way at once, the slow ones included. */
export const maxUnderWay = concurrency + slowConcurrency;
/** So many receivers are remembered; the one that was tried longest ago is forgotten for a new one. */
const maxReceivers = 10_000;
/** So many receivers that answer are named in one query, and so many that timed out. */
const answeringAtOnce = 1000;
const turnsAtOnce = 100;

interface ReceiverState {
  underWay: number;
  /** What it may have while it answers. */
  window: DeliveryWindow;
  readonly breaker: CircuitBreaker;
  /** What its latest attempt came to. One that does not answer has one attempt at a time. */
  standing: 'new' | 'answers' | 'timed_out';
}

/** Places that attempts take together. */
interface Places {
  readonly all: Semaphore;
  readonly unproven: Semaphore;
  readonly slow: Semaphore;
}

function createPlaces(count: number, slow: number): Places {
  return {
    all: createSemaphore(count),
    unproven: createSemaphore(count * unprovenShare),
    slow: createSemaphore(slow),
  };
}

/** All of them, or none. */
function acquireAll(semaphores: readonly Semaphore[]): Release | undefined {
  if (semaphores.some(({ free }) => free === 0)) return undefined;
  const permits = semaphores.map((semaphore) => semaphore.tryAcquire());
  return () => {
    for (const permit of permits) permit?.();
  };
}

export function createDeliveryLimits(setup: DeliveryLimitsSetup): DeliveryLimits {
  const { perReceiverConcurrency, breakerFailures: failures, breakerCoolOffMs: coolOffMs, slowAfterMs = 2000 } = setup;
  const everybody = createPlaces(concurrency, slowConcurrency);
  const owners = new Map<number, Places>();
  /** The one that was tried longest ago comes first. */
  const receivers = new Map<string, ReceiverState>();

  function stateOf(receiver: string): ReceiverState {
    const state = receivers.get(receiver) ?? {
      underWay: 0,
      window: createDeliveryWindow(perReceiverConcurrency),
      breaker: createCircuitBreaker({ failures, coolOffMs, now: setup.now }),
      standing: 'new',
    };
    if (!receivers.has(receiver) && receivers.size >= maxReceivers) forgetOldest();
    receivers.set(receiver, state);
    return state;
  }

  function ownerOf(ownerId: number): Places {
    const places = owners.get(ownerId) ?? createPlaces(perOwner, slowPerOwner);
    owners.set(ownerId, places);
    return places;
  }

  const isIdle = ({ underWay }: ReceiverState): boolean => underWay === 0;

  /** It has all it may have, or is spared. */
  function isFull(state: ReceiverState): boolean {
    if (state.breaker.isOpen()) return true;
    return state.standing === 'answers' ? state.underWay >= state.window.size : !isIdle(state);
  }

  function forgetOldest(): void {
    for (const [receiver, state] of receivers) {
      if (!isIdle(state)) continue;
      receivers.delete(receiver);
      return;
    }
  }

  /** Only what is under way, or has shown something, is remembered. */
  function forget({ receiver, ownerId }: DeliveryTarget): void {
    const state = receivers.get(receiver);
    if (state && isIdle(state) && state.standing === 'new' && state.breaker.failures === 0) receivers.delete(receiver);
    const places = owners.get(ownerId);
    if (places?.all.free === perOwner && places.slow.free === slowPerOwner) owners.delete(ownerId);
  }

  const named = (which: (state: ReceiverState, receiver: string) => boolean): string[] =>
    [...receivers].flatMap(([receiver, state]) => (which(state, receiver) ? [receiver] : []));
  const ownersWithout = (place: keyof Places): number[] =>
    [...owners].flatMap(([ownerId, places]) => (places[place].free === 0 ? [ownerId] : []));
  const full = (): RoomFor => ({ receivers: named(isFull), owners: ownersWithout('all') });

  return {
    begin(target) {
      const state = stateOf(target.receiver);
      const both = [everybody, ownerOf(target.ownerId)] as const;
      const isProven = state.standing === 'answers';
      const wanted = both.flatMap(({ all, unproven }) => (isProven ? [all] : [all, unproven]));
      let leave = isFull(state) ? undefined : acquireAll([...wanted]);
      const report = leave && state.breaker.enter();
      if (!leave || !report) {
        leave?.();
        forget(target);
        return undefined;
      }
      const beganAlone = isIdle(state);
      state.underWay += 1;
      receivers.delete(target.receiver);
      receivers.set(target.receiver, state);
      const slow = setInterval(() => {
        const waiting = acquireAll(both.map((places) => places.slow));
        if (!waiting) return;
        clearInterval(slow);
        leave?.();
        leave = waiting;
      }, slowAfterMs).unref();
      return (result, { timedOut, ms, isFailing } = {}) => {
        clearInterval(slow);
        report(result);
        const { underWay, window } = state;
        // One at a time until it answers; then it begins anew.
        if (timedOut) state.window = createDeliveryWindow(perReceiverConcurrency);
        else if (result === 'unreachable' || isFailing) window.failed();
        else if (ms !== undefined) window.answered({ ms, wasAlone: beganAlone && underWay === 1, underWay });
        state.underWay -= 1;
        if (timedOut) state.standing = 'timed_out';
        else if (result === 'answered') state.standing = 'answers';
        leave?.();
        forget(target);
      };
    },
    free: () => everybody.all.free,
    full,
    room() {
      const { receivers: fullReceivers, owners: fullOwners } = full();
      const timedOut = named(({ standing }) => standing === 'timed_out');
      const room = { receivers: [...new Set([...fullReceivers, ...timedOut])], owners: fullOwners };
      const tight = everybody.unproven.free === 0 ? ('all' as const) : ownersWithout('unproven');
      if (tight.length === 0) return room;
      const answering = named(({ standing }) => standing === 'answers').slice(-answeringAtOnce);
      return { ...room, answering: { owners: tight, receivers: answering } };
    },
    nextTurns(seen) {
      if (everybody.unproven.free === 0) return undefined;
      const only = named((state, receiver) => state.standing === 'timed_out' && !isFull(state) && !seen.has(receiver));
      if (only.length === 0) return undefined;
      const tightOwners = [...new Set([...ownersWithout('all'), ...ownersWithout('unproven')])];
      return { receivers: [], owners: tightOwners, only: only.slice(0, turnsAtOnce) };
    },
    spared() {
      const open = [...receivers].flatMap(([receiver, { breaker }]) => {
        const forMs = breaker.openForMs();
        return forMs > 0 ? [{ receiver, forMs }] : [];
      });
      return {
        receivers: open.map(({ receiver }) => receiver),
        forMs: open.length > 0 ? Math.min(...open.map(({ forMs }) => forMs)) : 0,
      };
    },
  };
}
