/**
 * A circuit breaker: pauses an address that cannot be reached. After enough failures in a row, one attempt at a time
 * probes it.
 */

/** `unknown`: the attempt says nothing about the address. */
export type AttemptResult = 'answered' | 'unreachable' | 'unknown';

export interface CircuitBreaker {
  /**
   * Lets an attempt through and gives what reports its result, once. Undefined: the circuit is open, or another attempt
   * probes. An answer of any kind closes the circuit; being unreachable counts towards opening it.
   */
  enter(): ((result: AttemptResult) => void) | undefined;
  /** True if `enter` would refuse now. */
  isOpen(): boolean;
  /** Milliseconds until an attempt may probe; 0 if one may probe already, or the circuit is closed. */
  openForMs(): number;
  /** Attempts in a row that could not reach the address. */
  readonly failures: number;
}

export interface CircuitBreakerOptions {
  /** Failures in a row that open the circuit. */
  readonly failures: number;
  /** How long the circuit then stays open before an attempt may probe. */
  readonly coolOffMs: number;
  readonly now: () => Date;
  /** Called when the circuit opens, and when a probe has failed and it stays open. */
  readonly onOpen?: () => void;
}

export function createCircuitBreaker({
  failures: limit,
  coolOffMs,
  now,
  onOpen,
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
