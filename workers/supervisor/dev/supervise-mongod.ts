/** Supervises the service's own mongod: restarts it on the same data when it dies. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { startMongod, type RunningMongod } from './mongod/index.ts';

export interface SupervisedMongod {
  readonly uri: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const maxBackoffMs = 5000;

/** Throws a MongodError if the first start fails or is aborted. Later starts are retried until `stop`. */
export async function superviseMongod({
  binary,
  dbPath,
  port,
  report,
  log,
  signal,
}: {
  readonly binary: string;
  readonly dbPath: string;
  readonly port: number;
  readonly report: (line: string) => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<SupervisedMongod> {
  const stopping = new AbortController();
  let restarting: Promise<void> | undefined;
  let current = await start(signal);

  async function start(until: AbortSignal): Promise<RunningMongod> {
    const onExit = (exit: unknown): void => {
      if (stopping.signal.aborted) return;
      log.error({ exit }, 'mongod exited and is restarted');
      restarting = restart();
    };
    return startMongod({ binary, dbPath, port, report, onExit, signal: until });
  }

  async function restart(): Promise<void> {
    for (let waitMs = 100; !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, maxBackoffMs)) {
      try {
        current = await start(stopping.signal);
        log.info('mongod runs again');
        return;
      } catch (error) {
        log.error({ err: error }, 'mongod could not be restarted yet');
      }
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined); // Rejects if `stop` interrupts it.
    }
  }

  return {
    uri: current.uri,
    get pid() {
      return current.pid;
    },
    async stop() {
      stopping.abort();
      await restarting;
      await current.stop();
    },
  };
}
