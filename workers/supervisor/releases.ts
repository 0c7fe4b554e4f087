/** What dead processes held: their rows, which one of the living frees, and their Agenda locks. */
import type { Logger } from 'pino';
import type { RecurringJobs } from '../../core/engine/jobs/index.ts';
import { createDeferred, type Deferred } from './deferred.ts';

export interface ReleasesSetup {
  readonly recurringJobs: () => Pick<RecurringJobs, 'release'> | undefined;
  /** Asks one of the living to free the rows of this process; it confirms by `rowsFreed`. */
  readonly freeRows: (name: string) => void;
  /** There may be work that somebody dead held until now. */
  readonly onFreed: () => void;
  readonly log: Pick<Logger, 'warn'>;
}

export interface Releases {
  /** Begins to free what this process held. Resolves once all of it is free, however often that takes a retry. */
  free(name: string): Promise<void>;
  rowsFreed(name: string): void;
  /** Asks again for what nobody has confirmed yet. */
  retry(): void;
}

interface Release {
  hasRows: boolean;
  hasLocks: boolean;
  readonly freed: Deferred<void>;
}

export function createReleases({ recurringJobs, freeRows, onFreed, log }: ReleasesSetup): Releases {
  const open = new Map<string, Release>();

  function ask(name: string, { hasRows, hasLocks }: Release): void {
    if (hasRows) freeRows(name);
    if (hasLocks) void freeLocks(name);
  }

  async function freeLocks(name: string): Promise<void> {
    const jobs = recurringJobs();
    if (!jobs) return;
    try {
      await jobs.release(name);
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
      ask(name, release);
      return release.freed.promise;
    },
    rowsFreed: (name) => confirm(name, { hasRows: false }),
    retry() {
      for (const [name, release] of open) ask(name, release);
    },
  };
}
