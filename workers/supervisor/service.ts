/**
 * The service, or one role of it: owns mongod, ports and secrets, and supervises the API, the workers and the
 * sandboxes.
 */
import { killProcess } from './data-folder/index.ts';
import type { ServiceOptions, Started } from './service-options.ts';
import { createMongodSteps, createServiceSteps } from './service-steps.ts';
import { startSteps } from './steps.ts';

export interface Service {
  /**
   * Resolves when every process serves. Rejects with an error for the person at the screen, or with a StoppedError if
   * `stop` was called first. When it rejects, nothing is left running.
   */
  readonly started: Promise<Started>;
  /** Stops everything in order, within `server.shutdownSeconds` and 2 s. May be called during the start. */
  stop(): Promise<void>;
  /** Every process opens its log file again, because the file was rotated. */
  reopenLogs(): void;
  /** Speeds up a stop: kills every process that still runs. */
  kill(): void;
}

/** Not a failure: the service was stopped while it was starting. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

export function startService({ report, ...options }: ServiceOptions): Service {
  const stopping = new AbortController();
  const all = { ...options, report: report ?? options.print, signal: stopping.signal };
  const service = options.role === 'mongod' ? createMongodSteps(all) : createServiceSteps(all);
  const running = startSteps(service.steps, stopping.signal);
  let stopped: Promise<void> | undefined;

  const started = running.started.then(
    () => service.announcement.value,
    async (error: unknown) => {
      const wasStopped = stopped !== undefined;
      if (!wasStopped) await service.reportLastAlarms();
      await stop();
      throw wasStopped ? new StoppedError('the service was stopped while it was starting', { cause: error }) : error;
    },
  );
  started.catch(() => undefined); // A caller that only stops the service does not handle it.

  async function stop(): Promise<void> {
    stopping.abort();
    stopped ??= running.stop();
    return stopped;
  }

  return {
    started,
    stop,
    reopenLogs: () => service.reopenLogs(),
    kill() {
      for (const pid of service.pids()) if (pid) killProcess(pid);
    },
  };
}
