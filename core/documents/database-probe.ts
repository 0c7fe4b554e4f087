/** Asks the database again and again whether it answers, so that nobody waits for one that does not. */
import type { Logger } from 'pino';

export interface DatabaseProbe {
  /** What the latest probe found; true before the first. */
  readonly isAnswering: boolean;
  /** Probes now: from then on `isAnswering` says the same. */
  check(): Promise<boolean>;
  /** Calls back when the database stops answering; gives what ends that. */
  onSilence(listener: () => void): () => void;
  stop(): void;
}

const everyMs = 1000;

/** `isUp` ends in short time, whatever the database does. */
export function createDatabaseProbe(isUp: () => Promise<boolean>, log: Pick<Logger, 'warn' | 'info'>): DatabaseProbe {
  let isAnswering = true;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const listeners = new Set<() => void>();
  let probing: Promise<boolean> | undefined;

  async function probe(): Promise<boolean> {
    const was = isAnswering;
    isAnswering = await isUp();
    if (was && !isAnswering) {
      log.warn('the database does not answer: requests are refused until it does');
      for (const listener of listeners) listener();
    }
    if (!was && isAnswering) log.info('the database answers again');
    return isAnswering;
  }

  async function check(): Promise<boolean> {
    probing ??= probe().finally(() => (probing = undefined));
    return probing;
  }

  async function keepChecking(): Promise<void> {
    await check();
    if (!isStopped) timer = setTimeout(() => void keepChecking(), everyMs).unref();
  }
  void keepChecking();

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
      clearTimeout(timer);
    },
  };
}
