import type { Logger } from 'pino';

/** Work that nobody waits for, but that a shutdown does. */
export function createBackground(log: Logger): {
  run(failed: string, work: Promise<unknown>): void;
  settled(): Promise<void>;
} {
  const running = new Set<Promise<unknown>>();
  return {
    run(failed, work) {
      const tracked: Promise<unknown> = work
        .catch((error: unknown) => log.warn({ err: error }, failed))
        .finally(() => running.delete(tracked));
      running.add(tracked);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
