/** How many attempts may be under way at once: in this process, towards one receiver, and of one owner. */
import { createCircuitBreaker, type AttemptResult, type CircuitBreaker } from '../providers/http/circuit-breaker.ts';
import { createSemaphore, type Release, type Semaphore } from '../providers/http/semaphore.ts';

/** Whose attempt it is, and where it goes. */
export interface DeliveryTarget {
  readonly receiver: string;
  readonly ownerId: number;
}

/** Ends the attempt: says what it came to, and makes room for the next. */
export type EndAttempt = (result: AttemptResult) => void;

export interface DeliveryLimits {
  /** Room for one attempt; undefined where there is none, or its receiver is spared. */
  begin(target: DeliveryTarget): EndAttempt | undefined;
  /** Over all receivers. */
  free(): number;
  /** Receivers and owners that have all they may have, and receivers that are spared. */
  full(): { readonly receivers: readonly string[]; readonly owners: readonly number[] };
  /** Receivers that are spared because they are down, and how long until the first of them may be tried. */
  spared(): { readonly receivers: readonly string[]; readonly forMs: number };
}

export interface DeliveryLimitsSetup {
  readonly perReceiverConcurrency: number;
  /** Transport failures in a row after which a receiver is spared. */
  readonly breakerFailures: number;
  /** For how long. */
  readonly breakerCoolOffMs: number;
  readonly now: () => Date;
}

/** Attempts under way at once in this process, over all receivers. */
export const concurrency = 64;
/** Of them those of one owner, who chooses the receivers: however many, they leave room for others. */
export const perOwner = 24;
/** So many failing receivers are remembered; the one that failed first is forgotten for a new one. */
const maxReceivers = 10_000;

interface ReceiverState {
  readonly semaphore: Semaphore;
  readonly breaker: CircuitBreaker;
}

export function createDeliveryLimits(setup: DeliveryLimitsSetup): DeliveryLimits {
  const { perReceiverConcurrency, breakerFailures: failures, breakerCoolOffMs: coolOffMs, now } = setup;
  const all = createSemaphore(concurrency);
  const owners = new Map<number, Semaphore>();
  const receivers = new Map<string, ReceiverState>();

  function receiverOf(receiver: string): ReceiverState {
    const known = receivers.get(receiver);
    if (known) return known;
    const state = {
      semaphore: createSemaphore(perReceiverConcurrency),
      breaker: createCircuitBreaker({ failures, coolOffMs, now }),
    };
    if (receivers.size >= maxReceivers) forgetOldest();
    receivers.set(receiver, state);
    return state;
  }

  function ownerOf(ownerId: number): Semaphore {
    const semaphore = owners.get(ownerId) ?? createSemaphore(perOwner);
    owners.set(ownerId, semaphore);
    return semaphore;
  }

  const isIdle = ({ semaphore }: ReceiverState): boolean => semaphore.free === perReceiverConcurrency;

  function forgetOldest(): void {
    for (const [receiver, state] of receivers) {
      if (!isIdle(state)) continue;
      receivers.delete(receiver);
      return;
    }
  }

  /** Only what is under way, or failed, is remembered. */
  function forget({ receiver, ownerId }: DeliveryTarget): void {
    const state = receivers.get(receiver);
    if (state && isIdle(state) && state.breaker.failures === 0) receivers.delete(receiver);
    if (owners.get(ownerId)?.free === perOwner) owners.delete(ownerId);
  }

  return {
    begin(target) {
      const { semaphore, breaker } = receiverOf(target.receiver);
      const permits: Release[] = [];
      for (const one of [all, ownerOf(target.ownerId), semaphore]) {
        const permit = one.tryAcquire();
        if (permit) permits.push(permit);
      }
      const report = permits.length === 3 ? breaker.enter() : undefined;
      const release = (): void => {
        for (const permit of permits) permit();
        forget(target);
      };
      if (!report) {
        release();
        return undefined;
      }
      return (result) => {
        report(result);
        release();
      };
    },
    free: () => all.free,
    full: () => ({
      receivers: [...receivers].flatMap(([receiver, { semaphore, breaker }]) =>
        semaphore.free === 0 || breaker.isOpen() ? [receiver] : [],
      ),
      owners: [...owners].flatMap(([ownerId, { free }]) => (free === 0 ? [ownerId] : [])),
    }),
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
