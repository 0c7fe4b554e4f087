/**
 * What the supervisor does repeatedly while the service runs: follows config files, rotates the log, re-creates
 * recurring jobs, and lets a worker check for work.
 */
import type { Logger } from 'pino';
import type { LoadedConfig } from '../../../config/load-config.ts';
import { SECOND } from '../../../core/base/async/time.ts';
import type { RecurringJobs } from '../../../core/engine/jobs/index.ts';
import type { AdapterStateStore } from '../../../core/engine/providers/states/adapter-states.ts';
import type { Pool } from '../processes/pool.ts';
import { toLogTarget } from '../start/run-config.ts';
import { createLogRotation } from './rotate-log.ts';
import { watchConfig } from './watch-config.ts';

export interface UpkeepDeps {
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly adapterStates: Pick<AdapterStateStore, 'applyFile'>;
  readonly pool: Pick<Pool, 'retryReleases' | 'sweep'>;
  readonly recurring: Pick<RecurringJobs, 'ensureStored'>;
  /** Every process opens its log file again. */
  readonly reopenLogs: () => void;
  readonly print: (line: string) => void;
  readonly log: Logger;
}

export interface Upkeep {
  stop(): Promise<void>;
}

const everyMs = 10 * SECOND;

export function startUpkeep(deps: UpkeepDeps): Upkeep {
  const { loaded, env, adapterStates, pool, recurring, reopenLogs, print, log } = deps;
  const { maxMegabytes, keepDays } = loaded.config.log;
  const { file } = toLogTarget(loaded);
  const watching = watchConfig({ loaded, env, adapterStates, print, log });
  const rotation =
    file === undefined
      ? undefined
      : createLogRotation({ file, maxBytes: maxMegabytes * 2 ** 20, keepDays, reopen: reopenLogs, log });
  const timer = setInterval(() => {
    void rotation?.check(new Date());
    pool.retryReleases();
    pool.sweep();
    recurring
      .ensureStored()
      .catch((error: unknown) => log.warn({ err: error }, 'missing recurring jobs could not be created'));
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await watching.stop();
    },
  };
}
