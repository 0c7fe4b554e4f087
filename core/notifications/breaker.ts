/** Spares receivers that are down: after enough transport failures in a row, only one attempt at a time asks again. */

export interface BreakerOptions {
  /** Transport failures in a row that open it. */
  readonly failures: number;
  readonly coolOffMs: number;
  readonly now: () => Date;
}

export interface Breaker {
  /** Milliseconds until this receiver may be asked again; 0 where it may be asked now. */
  openForMs(receiver: string): number;
  /** Receivers that may not be asked now, and how long until the first of them may. */
  open(): { readonly receivers: readonly string[]; readonly forMs: number };
  /** It has cooled off and has not answered since: one attempt at a time may ask. */
  isProbing(receiver: string): boolean;
  /** An answer of any status closes it; a failure to get one counts towards opening it. */
  note(receiver: string, answered: boolean): void;
}

/** So many failing receivers are remembered; the one that failed first is forgotten for a new one. */
const maxReceivers = 10_000;

export function createBreaker({ failures, coolOffMs, now }: BreakerOptions): Breaker {
  const failing = new Map<string, { count: number; openUntil: number }>();

  return {
    openForMs(receiver) {
      return Math.max(0, (failing.get(receiver)?.openUntil ?? 0) - now().getTime());
    },
    open() {
      const time = now().getTime();
      const still = [...failing].filter(([, { openUntil }]) => openUntil > time);
      const first = Math.min(...still.map(([, { openUntil }]) => openUntil));
      return { receivers: still.map(([receiver]) => receiver), forMs: still.length > 0 ? first - time : 0 };
    },
    isProbing(receiver) {
      const openUntil = failing.get(receiver)?.openUntil ?? 0;
      return openUntil > 0 && openUntil <= now().getTime();
    },
    note(receiver, answered) {
      if (answered) {
        failing.delete(receiver);
        return;
      }
      const count = (failing.get(receiver)?.count ?? 0) + 1;
      const openUntil = count >= failures ? now().getTime() + coolOffMs : 0;
      const [oldest] = failing.keys();
      if (failing.size >= maxReceivers && !failing.has(receiver) && oldest !== undefined) failing.delete(oldest);
      failing.set(receiver, { count, openUntil });
    },
  };
}
