/**
 * Finds all due jobs with one query per poll. Agenda itself sends one `findAndModify` per job name at each poll, and
 * most of them find nothing.
 */
import type { JobRepository } from 'agenda';
import type { mongo } from 'mongoose';
import type { JobDocument } from './recurring-jobs.ts';

type LockNext = JobRepository['getNextJobToRun'];

/** Replaces `getNextJobToRun` of the repository: it tries to lock only jobs that are due or locked. */
export function lockDueJobs(repository: JobRepository, documents: mongo.Collection<JobDocument>): void {
  const lockNext: LockNext = repository.getNextJobToRun.bind(repository);
  let polling: Promise<ReadonlySet<string>> | undefined;
  const locked = new Set<string>();

  /** The locks that have expired are left to Agenda, which knows the lifetime of each. */
  async function poll(nextScanAt: Date): Promise<ReadonlySet<string>> {
    const which = { $or: [{ lockedAt: null, nextRunAt: { $lte: nextScanAt } }, { lockedAt: { $ne: null } }] };
    const found = await documents.find(which, { projection: { _id: 0, name: 1 } }).toArray();
    return new Set(found.map(({ name }) => name));
  }

  repository.getNextJobToRun = async (name, nextScanAt, ...rest) => {
    // After each lock, Agenda asks for another job of the same name. There is one document per name.
    if (locked.delete(name)) return undefined;
    // Agenda asks for all names in one turn of the event loop.
    polling ??= poll(nextScanAt).finally(() => (polling = undefined));
    if (!(await polling).has(name)) return undefined;
    const job = await lockNext(name, nextScanAt, ...rest);
    if (job) locked.add(name);
    return job;
  };
}
