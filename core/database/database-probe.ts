/** Asks the database again and again whether it answers, so that nobody waits for one that does not. */
import type { Logger } from 'pino';

export interface ProbedDatabase {
  /** True while it answers what it is asked. Ends in 1.5 s, whatever the database does. */
  isUp(): Promise<boolean>;
  /** True where it reads and writes, durably. Ends in 1.5 s, too. */
  isWorking(): Promise<boolean>;
  /** Calls back where a command of this process had no answer in time, or lost its connection; gives what ends that. */
  onDoubt(listener: () => void): () => void;
}

export interface DatabaseProbe {
  /** What the latest probe found; true before the first. */
  readonly isAnswering: boolean;
  /** Probes now: from then on `isAnswering` says the same. */
  check(): Promise<boolean>;
  /** Calls back when the database stops answering; gives what ends that. */
  onSilence(listener: () => void): () => void;
  stop(): void;
}

export interface ProbeListeners {
  /** The database has answered slowly for a while: so many milliseconds at least. */
  readonly onSlow?: (ms: number) => void;
  /** It has answered, after so many seconds. */
  readonly onAnswer?: (seconds: number) => void;
}

const everyMs = 1000;
/** A database that works takes no longer to show it; until then nobody is refused for one command that failed. */
const doubtMs = 100;
/** A probe is a command or two: what takes so long, so often in a row, is no accident. */
const slowMs = 500;
const slowProbes = 5;

/**
 * A database that answers its heartbeat may do nothing else, as one whose disk hangs: a doubt is over, and a silence ends,
 * only when it has read and written.
 */
export function createDatabaseProbe(
  database: ProbedDatabase,
  log: Pick<Logger, 'warn' | 'info'>,
  { onSlow, onAnswer }: ProbeListeners = {},
): DatabaseProbe {
  let isAnswering = true;
  let isDoubted = false;
  let slowInARow = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const listeners = new Set<() => void>();
  let probing: Promise<boolean> | undefined;

  function conclude(answers: boolean): void {
    if (answers === isAnswering) return;
    isAnswering = answers;
    if (answers) {
      log.info('the database answers again');
      return;
    }
    log.warn('the database does not answer: requests are refused until it does');
    for (const listener of listeners) listener();
  }

  async function probe(): Promise<boolean> {
    const isProof = isDoubted || !isAnswering;
    const askedAt = performance.now();
    const isFine = await (isProof ? database.isWorking() : database.isUp());
    slowInARow = isFine && performance.now() - askedAt >= slowMs ? slowInARow + 1 : 0;
    if (slowInARow >= slowProbes) onSlow?.(slowMs);
    if (isFine) onAnswer?.((performance.now() - askedAt) / 1000);
    if (isProof && isFine) isDoubted = false;
    // To be up proves nothing against a doubt that came meanwhile.
    if (isProof || !isFine) conclude(isFine);
    return isAnswering;
  }

  async function check(): Promise<boolean> {
    probing ??= probe().finally(() => (probing = undefined));
    return probing;
  }

  async function doubt(): Promise<void> {
    if (isDoubted || !isAnswering) return;
    isDoubted = true;
    const patience = setTimeout(() => {
      if (isDoubted) conclude(false);
    }, doubtMs).unref();
    await probing; // It began before, and proves nothing.
    await check();
    clearTimeout(patience);
  }

  async function keepChecking(): Promise<void> {
    await check();
    if (!isStopped) timer = setTimeout(() => void keepChecking(), everyMs).unref();
  }
  void keepChecking();
  const endDoubts = database.onDoubt(() => void doubt());

  return {
    get isAnswering() {
      return isAnswering;
    },
    check,
    onSilence(listener) {
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
