/**
 * A circuit breaker. After enough failures in a row, the circuit opens, and no attempt is made for a while. Then one
 * attempt at a time probes the address.
 */

/** `unknown`: the attempt says nothing about the address. */
export type AttemptResult = 'answered' | 'unreachable' | 'unknown';

export interface CircuitBreaker {
  /**
   * Permits an attempt, and returns a function that reports its result; call it once. Returns undefined if the circuit
   * is open or another attempt is probing. `answered` closes the circuit, whatever the answer was. `unreachable` counts
   * as a failure.
   */
  enter(): ((result: AttemptResult) => void) | undefined;
  /** True if `enter` would refuse now. */
  isOpen(): boolean;
  /** Milliseconds until an attempt may probe. 0 if the circuit is closed, or an attempt may probe now. */
  openForMs(): number;
  /** Attempts in a row that could not reach the address. */
  readonly failures: number;
}

export interface CircuitBreakerOptions {
  /** Failures in a row that open the circuit. */
  readonly failures: number;
  /** How long the circuit stays open before an attempt may probe. */
  readonly coolOffMs: number;
  readonly now: () => Date;
  /** Called when the circuit opens, and when a probe has failed and it stays open. */
  readonly onOpen?: () => void;
  /** Called after every attempt that was answered. */
  readonly onAnswer?: () => void;
}

export function createCircuitBreaker({
  failures: limit,
  coolOffMs,
  now,
  onOpen,
  onAnswer,
}: CircuitBreakerOptions): CircuitBreaker {
  let failures = 0;
  let openUntil: number | undefined;
  let probing = false;

  const openForMs = (): number => Math.max(0, (openUntil ?? 0) - now().getTime());
  const isOpen = (): boolean => openUntil !== undefined && (probing || openForMs() > 0);

  return {
    enter() {
      if (isOpen()) return undefined;
      const isProbe = openUntil !== undefined;
      probing ||= isProbe;
      return (result) => {
        if (isProbe) probing = false;
        if (result === 'answered') {
          failures = 0;
          openUntil = undefined;
          onAnswer?.();
        } else if (result === 'unreachable') {
          failures += 1;
          if (failures < limit) return;
          openUntil = now().getTime() + coolOffMs;
          onOpen?.();
        }
      };
    },
    isOpen,
    openForMs,
    get failures() {
      return failures;
    },
  };
}
