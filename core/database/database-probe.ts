/** Polls the database, so that no request waits for a database that does not answer. */
import type { Logger } from 'pino';

export interface ProbedDatabase {
  /** True if the database answers a read. Resolves within 1.5 s, whatever the database does. */
  isUp(): Promise<boolean>;
  /** True if the database reads and writes durably. Resolves within 1.5 s, too. */
  isWorking(): Promise<boolean>;
  /**
   * Calls the listener when a command of this process got no answer in time or lost its connection. Returns a function
   * that removes the listener.
   */
  onDoubt(listener: () => void): () => void;
}

export interface DatabaseProbe {
  /** The result of the latest probe. True before the first probe. */
  readonly isUp: boolean;
  /** The same, for a request that needs the database. Starts a probe if the latest one was a second ago or earlier. */
  isUpForRequest(): boolean;
  /** Probes now and updates `isUp`. */
  check(): Promise<boolean>;
  /** Calls the listener when the database stops answering. Returns a function that removes the listener. */
  onDatabaseLost(listener: () => void): () => void;
  stop(): void;
}

export interface ProbeOptions {
  /** The database answered slowly for a while: each of the latest probes took at least this many milliseconds. */
  readonly onSlow?: (ms: number) => void;
  /** The database answered after this many seconds. */
  readonly onAnswer?: (seconds: number) => void;
}

/** Minimum time between two probes for requests, and the interval while the database does not answer. */
const busyMs = 1000;
/** The interval while there is nothing else to probe for. A readiness check probes too. */
const idleMs = 10_000;
/**
 * A working database proves itself within this time. Until then, one failed command does not cause requests to be
 * refused.
 */
const doubtMs = 100;
/** A probe is one or two commands. If this many in a row take this long, the database is slow. */
const slowMs = 500;
const slowProbes = 5;

/**
 * A database that answers its heartbeat may do nothing else, for example if its disk hangs. So a doubt or a silence
 * ends only after the database has read and written.
 */
export function createDatabaseProbe(
  database: ProbedDatabase,
  log: Pick<Logger, 'warn' | 'info'>,
  { onSlow, onAnswer }: ProbeOptions = {},
): DatabaseProbe {
  let isUp = true;
  let isDoubted = false;
  let probedAt = -Infinity;
  let slowInARow = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const listeners = new Set<() => void>();
  let probing: Promise<boolean> | undefined;

  function conclude(answers: boolean): void {
    if (answers === isUp) return;
    isUp = answers;
    if (answers) {
      log.info('the database answers again');
      return;
    }
    log.warn('the database does not answer: requests are refused until it does');
    for (const listener of listeners) listener();
  }

  async function probe(): Promise<boolean> {
    const isProof = isDoubted || !isUp;
    const askedAt = performance.now();
    const isFine = await (isProof ? database.isWorking() : database.isUp());
    slowInARow = isFine && performance.now() - askedAt >= slowMs ? slowInARow + 1 : 0;
    if (slowInARow >= slowProbes) onSlow?.(slowMs);
    if (isFine) onAnswer?.((performance.now() - askedAt) / 1000);
    if (isProof && isFine) isDoubted = false;
    // Being up proves nothing against a doubt that arose during the probe.
    if (isProof || !isFine) conclude(isFine);
    return isUp;
  }

  async function check(): Promise<boolean> {
    probing ??= probe().finally(() => {
      probing = undefined;
      probedAt = performance.now();
    });
    return probing;
  }

  async function doubt(): Promise<void> {
    if (isDoubted || !isUp) return;
    isDoubted = true;
    const patience = setTimeout(() => {
      if (isDoubted) conclude(false);
    }, doubtMs).unref();
    await probing; // This probe started before the doubt, so it proves nothing.
    await check();
    clearTimeout(patience);
  }

  async function keepChecking(): Promise<void> {
    clearTimeout(timer);
    await check();
    if (!isStopped) timer = setTimeout(() => void keepChecking(), isUp ? idleMs : busyMs).unref();
  }
  void keepChecking();
  const endDoubts = database.onDoubt(() => void doubt());

  return {
    get isUp() {
      return isUp;
    },
    isUpForRequest() {
      if (!probing && performance.now() - probedAt >= busyMs) void keepChecking();
      return isUp;
    },
    check,
    onDatabaseLost(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      isStopped = true;
      endDoubts();
      clearTimeout(timer);
    },
  };
}
