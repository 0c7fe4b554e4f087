/**
 * How many attempts may be in progress at the same time: in this process, to one receiver, to one host, and of one
 * owner.
 *
 * A receiver is one owner's addresses at one host (`receiverOf`). Owners share hosts, such as those of a shop platform,
 * so the state of a receiver must not depend on the addresses of another owner. The host has limits of its own, which
 * one owner cannot use up.
 */
import { hostOf } from '../../database/collections/notification.ts';
import { createCircuitBreaker, type AttemptResult, type CircuitBreaker } from '../providers/http/circuit-breaker.ts';
import { createSemaphore, type Release, type Semaphore } from '../providers/http/semaphore.ts';
import { createDeliveryWindow, type DeliveryWindow } from './delivery-window.ts';

/** The owner of an attempt, and its destination. */
export interface DeliveryTarget {
  /** As the row names it. Owners share a receiver only in rows of earlier releases. */
  readonly receiver: string;
  readonly ownerId: number;
}

/** Ends the attempt: reports its result and frees its permits. */
export type EndAttempt = (result: AttemptResult, answer?: AttemptAnswer) => void;

export interface AttemptAnswer {
  readonly timedOut?: boolean;
  /** How long the receiver took to answer. */
  readonly ms?: number;
  /** The answer was a 429 or a 5xx. */
  readonly isFailing?: boolean;
}

/** Selects, among the due rows, those for which there is capacity. */
export interface CapacityFilter {
  /** Excludes rows to these receivers. */
  readonly receivers: readonly string[];
  /** Excludes rows of these owners. */
  readonly owners: readonly number[];
  /** Includes only rows to these receivers. */
  readonly only?: readonly string[];
  /** For rows of these owners (or of all), includes only those to these healthy receivers. */
  readonly healthyOnly?: { readonly owners: readonly number[] | 'all'; readonly receivers: readonly string[] };
}

export interface DeliveryLimits {
  /** Takes the permits for one attempt; undefined if one of them is not free, or the receiver is paused. */
  begin(target: DeliveryTarget): EndAttempt | undefined;
  /** Free permits over all receivers. */
  free(): number;
  /** Excludes receivers and owners that use all their permits, and receivers that are paused. */
  full(): CapacityFilter;
  /** Like `full`, and excludes receivers whose latest attempt timed out: they are probed separately. */
  capacity(): CapacityFilter;
  /**
   * Selects receivers whose latest attempt timed out and that are not in `seen`, the one with the oldest attempt first.
   * Undefined if none can be probed now.
   */
  nextProbes(seen: ReadonlySet<string>): (CapacityFilter & { readonly only: readonly string[] }) | undefined;
  /** Receivers that are paused because they are down, and how long until the first of them may be tried. */
  paused(): { readonly receivers: readonly string[]; readonly forMs: number };
}

export interface DeliveryLimitsOptions {
  /** The upper limit; the actual number depends on how fast the receiver answers. A host has twice as many. */
  readonly perReceiverConcurrency: number;
  /** Transport failures in a row after which a receiver is paused. */
  readonly breakerFailures: number;
  /** How long it is paused. */
  readonly breakerCoolOffMs: number;
  /** After this time an attempt only waits for its receiver, and frees its permit for others. Default 2000. */
  readonly slowAfterMs?: number;
  readonly now: () => Date;
}

/** Maximum concurrent attempts in this process, over all receivers. */
export const concurrency = 160;
/**
 * Maximum concurrent attempts per owner. Owners choose their own receivers, so one owner must not use up the capacity
 * of the others.
 */
export const perOwner = 64;
/**
 * The share of both limits that receivers which are new or timed out may use together. However many of those hang, the
 * healthy receivers still get notifications.
 */
const unprovenShare = 0.5;
/** Maximum attempts to new or timed-out receivers of one host. Other hosts keep the other half of the share. */
export const unprovenPerHost = (concurrency * unprovenShare) / 2;
/** Maximum slow attempts, in addition to the others. Each costs a socket and nothing else. */
const slowConcurrency = 256;
const slowPerOwner = 64;
/** Maximum attempts in progress, the slow ones included. */
export const maxInProgress = concurrency + slowConcurrency;
/**
 * Maximum receivers in memory; a new one replaces the one with the oldest attempt. This is not an LRU cache, because a
 * receiver with an attempt in progress must never be forgotten.
 */
const maxReceivers = 10_000;
/** Maximum healthy receivers, and receivers that timed out, that one query names. */
const maxHealthyPerQuery = 1000;
const maxProbesPerQuery = 100;

interface ReceiverState {
  readonly host: string;
  inProgress: number;
  /** Limits the concurrent attempts while the receiver is healthy. */
  window: DeliveryWindow;
  readonly breaker: CircuitBreaker;
  /** From the latest attempt. A receiver that is not healthy gets one attempt at a time. */
  health: 'new' | 'healthy' | 'timed_out';
}

/** The permits that attempts share. */
interface Permits {
  readonly all: Semaphore;
  readonly unproven: Semaphore;
  readonly slow: Semaphore;
}

function createPermits(count: number, slow: number): Permits {
  return {
    all: createSemaphore(count),
    unproven: createSemaphore(count * unprovenShare),
    slow: createSemaphore(slow),
  };
}

const isIdle = ({ inProgress }: ReceiverState): boolean => inProgress === 0;

/** Limits the attempts to all receivers of one host together. */
function createHostLimits(perReceiverConcurrency: number) {
  /** Hosts with attempts in progress. `unproven`: attempts whose receiver was new or timed out when they began. */
  const hosts = new Map<string, { inProgress: number; unproven: number }>();
  return {
    /**
     * True if the receiver's host has no permit for it. The second half of a host's permits is for receivers that use
     * none, so that one owner cannot use up the capacity of the host.
     */
    isFullFor(state: ReceiverState): boolean {
      const { inProgress, unproven } = hosts.get(state.host) ?? { inProgress: 0, unproven: 0 };
      if (inProgress >= perReceiverConcurrency * (isIdle(state) ? 2 : 1)) return true;
      return state.health !== 'healthy' && unproven >= unprovenPerHost;
    },
    /** Counts an attempt. Returns the function that ends it. */
    enter(host: string, isProven: boolean): () => void {
      const state = hosts.get(host) ?? { inProgress: 0, unproven: 0 };
      hosts.set(host, state);
      const unproven = isProven ? 0 : 1;
      state.inProgress += 1;
      state.unproven += unproven;
      return () => {
        state.inProgress -= 1;
        state.unproven -= unproven;
        if (state.inProgress === 0) hosts.delete(host);
      };
    },
  };
}

/** Acquires a permit of each semaphore, or none. */
function acquireAll(semaphores: readonly Semaphore[]): Release | undefined {
  if (semaphores.some(({ free }) => free === 0)) return undefined;
  const permits = semaphores.map((semaphore) => semaphore.tryAcquire());
  return () => {
    for (const permit of permits) permit?.();
  };
}

export function createDeliveryLimits(options: DeliveryLimitsOptions): DeliveryLimits {
  const {
    perReceiverConcurrency,
    breakerFailures: failures,
    breakerCoolOffMs: coolOffMs,
    slowAfterMs = 2000,
  } = options;
  const shared = createPermits(concurrency, slowConcurrency);
  const owners = new Map<number, Permits>();
  /** The receiver with the oldest attempt comes first. */
  const receivers = new Map<string, ReceiverState>();
  const hosts = createHostLimits(perReceiverConcurrency);

  function stateOf(receiver: string): ReceiverState {
    const state = receivers.get(receiver) ?? {
      host: hostOf(receiver),
      inProgress: 0,
      window: createDeliveryWindow(perReceiverConcurrency),
      breaker: createCircuitBreaker({ failures, coolOffMs, now: options.now }),
      health: 'new',
    };
    if (!receivers.has(receiver) && receivers.size >= maxReceivers) forgetOldest();
    receivers.set(receiver, state);
    return state;
  }

  function ownerOf(ownerId: number): Permits {
    const permits = owners.get(ownerId) ?? createPermits(perOwner, slowPerOwner);
    owners.set(ownerId, permits);
    return permits;
  }

  /** The receiver or its host uses all its permits, or the receiver is paused. */
  function isFull(state: ReceiverState): boolean {
    if (state.breaker.isOpen() || hosts.isFullFor(state)) return true;
    return state.health === 'healthy' ? state.inProgress >= state.window.size : !isIdle(state);
  }

  function forgetOldest(): void {
    for (const [receiver, state] of receivers) {
      if (!isIdle(state)) continue;
      receivers.delete(receiver);
      return;
    }
  }

  /**
   * Forgets receivers and owners that have no attempt in progress and of which nothing is known. Keeps receivers of a
   * full host, because queries exclude only receivers that are known.
   */
  function forget({ receiver, ownerId }: DeliveryTarget): void {
    const state = receivers.get(receiver);
    const isUnknown = state && isIdle(state) && state.health === 'new' && state.breaker.failures === 0;
    if (isUnknown && !hosts.isFullFor(state)) receivers.delete(receiver);
    const permits = owners.get(ownerId);
    if (permits?.all.free === perOwner && permits.slow.free === slowPerOwner) owners.delete(ownerId);
  }

  const named = (which: (state: ReceiverState, receiver: string) => boolean): string[] =>
    [...receivers].flatMap(([receiver, state]) => (which(state, receiver) ? [receiver] : []));
  const ownersWithout = (kind: keyof Permits): number[] =>
    [...owners].flatMap(([ownerId, permits]) => (permits[kind].free === 0 ? [ownerId] : []));
  const full = (): CapacityFilter => ({ receivers: named(isFull), owners: ownersWithout('all') });

  return {
    begin(target) {
      const state = stateOf(target.receiver);
      const both = [shared, ownerOf(target.ownerId)] as const;
      const isProven = state.health === 'healthy';
      const wanted = both.flatMap(({ all, unproven }) => (isProven ? [all] : [all, unproven]));
      let leave = isFull(state) ? undefined : acquireAll([...wanted]);
      const report = leave && state.breaker.enter();
      if (!leave || !report) {
        leave?.();
        forget(target);
        return undefined;
      }
      const beganAlone = isIdle(state);
      const leaveHost = hosts.enter(state.host, isProven);
      state.inProgress += 1;
      receivers.delete(target.receiver);
      receivers.set(target.receiver, state);
      const slow = setInterval(() => {
        const waiting = acquireAll(both.map((permits) => permits.slow));
        if (!waiting) return;
        clearInterval(slow);
        leave?.();
        leave = waiting;
      }, slowAfterMs).unref();
      return (result, { timedOut, ms, isFailing } = {}) => {
        clearInterval(slow);
        report(result);
        const { inProgress, window } = state;
        // One attempt at a time until the receiver answers; then its window starts from the beginning.
        if (timedOut) state.window = createDeliveryWindow(perReceiverConcurrency);
        else if (result === 'unreachable' || isFailing) window.failed();
        else if (ms !== undefined) window.answered({ ms, wasAlone: beganAlone && inProgress === 1, inProgress });
        state.inProgress -= 1;
        leaveHost();
        if (timedOut) state.health = 'timed_out';
        else if (result === 'answered') state.health = 'healthy';
        leave?.();
        forget(target);
      };
    },
    free: () => shared.all.free,
    full,
    capacity() {
      const { receivers: fullReceivers, owners: fullOwners } = full();
      const timedOut = named(({ health }) => health === 'timed_out');
      const filter = { receivers: [...new Set([...fullReceivers, ...timedOut])], owners: fullOwners };
      const busy = shared.unproven.free === 0 ? ('all' as const) : ownersWithout('unproven');
      if (busy.length === 0) return filter;
      const healthy = named(({ health }) => health === 'healthy').slice(-maxHealthyPerQuery);
      return { ...filter, healthyOnly: { owners: busy, receivers: healthy } };
    },
    nextProbes(seen) {
      if (shared.unproven.free === 0) return undefined;
      const only = named((state, receiver) => state.health === 'timed_out' && !isFull(state) && !seen.has(receiver));
      if (only.length === 0) return undefined;
      const busyOwners = [...new Set([...ownersWithout('all'), ...ownersWithout('unproven')])];
      return { receivers: [], owners: busyOwners, only: only.slice(0, maxProbesPerQuery) };
    },
    paused() {
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
