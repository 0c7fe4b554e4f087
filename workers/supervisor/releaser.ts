import type { Logger } from 'pino';
import type { ToSupervisor } from './messages.ts';

/** Frees what a dead process held, and says so; where that fails, the supervisor asks again. */
export function createReleaser({
  releaseWorker,
  send,
  log,
}: {
  readonly releaseWorker: (worker: string) => Promise<void>;
  readonly send: (message: ToSupervisor) => void;
  readonly log: Pick<Logger, 'warn'>;
}): (dead: string) => Promise<void> {
  return async (dead) => {
    try {
      await releaseWorker(dead);
      send({ type: 'released', worker: dead });
    } catch (error) {
      log.warn({ err: error, worker: dead }, 'the rows of a dead process could not be freed yet');
    }
  };
}
