/**
 * Frees what a dead process held: its leased rows and its Agenda locks. The supervisor frees the Agenda locks and asks
 * a living process to free the rows. Both are retried until they succeed.
 */
import type { Logger } from 'pino';
import type { RecurringJobs } from '../../../core/engine/jobs/index.ts';
import { createDeferred, type Deferred } from './deferred.ts';
import type { ToSupervisor } from './messages.ts';

export interface DeadProcessCleanupDeps {
  /** Undefined before the database is open. */
  readonly recurringJobs: () => Pick<RecurringJobs, 'releaseLocks'> | undefined;
  /** Asks a living process to free the rows of this dead process. That process confirms with `confirmRowsFreed`. */
  readonly freeRows: (name: string) => void;
  /** Rows or locks were freed: work that the dead process held may be due. */
  readonly onFreed: () => void;
  readonly log: Pick<Logger, 'warn'>;
}

/** The supervisor's side. */
export interface DeadProcessCleanup {
  /**
   * Frees what this process held. Resolves when its rows and its locks are free, after as many retries as that takes.
   */
  free(name: string): Promise<void>;
  confirmRowsFreed(name: string): void;
  /** Repeats every request that is not confirmed yet. */
  retry(): void;
}

interface Release {
  hasRows: boolean;
  hasLocks: boolean;
  readonly freed: Deferred<void>;
}

export function createDeadProcessCleanup(deps: DeadProcessCleanupDeps): DeadProcessCleanup {
  const { recurringJobs, freeRows, onFreed, log } = deps;
  const open = new Map<string, Release>();

  function request(name: string, { hasRows, hasLocks }: Release): void {
    if (hasRows) freeRows(name);
    if (hasLocks) void freeLocks(name);
  }

  async function freeLocks(name: string): Promise<void> {
    const jobs = recurringJobs();
    if (!jobs) return;
    try {
      await jobs.releaseLocks(name);
      confirm(name, { hasLocks: false });
    } catch (error) {
      log.warn({ err: error, name }, 'the Agenda locks of a dead process could not be freed yet');
    }
  }

  function confirm(name: string, done: Partial<Pick<Release, 'hasRows' | 'hasLocks'>>): void {
    const release = open.get(name);
    if (!release) return;
    Object.assign(release, done);
    onFreed();
    if (release.hasRows || release.hasLocks) return;
    open.delete(name);
    release.freed.resolve();
  }

  return {
    async free(name) {
      const release = open.get(name) ?? { hasRows: true, hasLocks: true, freed: createDeferred<void>() };
      open.set(name, release);
      request(name, release);
      return release.freed.promise;
    },
    confirmRowsFreed: (name) => confirm(name, { hasRows: false }),
    retry() {
      for (const [name, release] of open) request(name, release);
    },
  };
}

export interface RowReleaseDeps {
  readonly releaseWorker: (worker: string) => Promise<void>;
  readonly send: (message: ToSupervisor) => void;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * The side of a living process: frees the rows of a dead process and confirms it. If that fails, the supervisor asks
 * again.
 */
export function createRowRelease({ releaseWorker, send, log }: RowReleaseDeps): (dead: string) => Promise<void> {
  return async (dead) => {
    try {
      await releaseWorker(dead);
      send({ type: 'released', worker: dead });
    } catch (error) {
      log.warn({ err: error, worker: dead }, 'the rows of a dead process could not be freed yet');
    }
  };
}
