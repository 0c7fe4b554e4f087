import type { Logger } from 'pino';

/** Background tasks: work that no caller waits for, but that a shutdown waits for. */
export interface BackgroundTasks {
  /** If the work fails, the log gets this message. */
  track(failure: string, task: Promise<unknown>): void;
  settled(): Promise<void>;
}

export function createBackgroundTasks(log: Logger): BackgroundTasks {
  const running = new Set<Promise<unknown>>();
  return {
    track(failure, task) {
      const tracked: Promise<unknown> = task
        .catch((error: unknown) => log.warn({ err: error }, failure))
        .finally(() => running.delete(tracked));
      running.add(tracked);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
