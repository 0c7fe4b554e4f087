/** Asks the database again and again whether it answers, so that nobody waits for one that does not. */
import type { Logger } from 'pino';

export interface DatabaseProbe {
  /** What the latest probe found; true before the first. */
  readonly isAnswering: boolean;
  stop(): void;
}

const everyMs = 1000;

/** `isUp` ends in short time, whatever the database does. */
export function createDatabaseProbe(isUp: () => Promise<boolean>, log: Pick<Logger, 'warn' | 'info'>): DatabaseProbe {
  let isAnswering = true;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function probe(): Promise<void> {
    const was = isAnswering;
    isAnswering = await isUp();
    if (isStopped) return;
    if (was && !isAnswering) log.warn('the database does not answer: requests are refused until it does');
    if (!was && isAnswering) log.info('the database answers again');
    timer = setTimeout(() => void probe(), everyMs).unref();
  }
  void probe();

  return {
    get isAnswering() {
      return isAnswering;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
