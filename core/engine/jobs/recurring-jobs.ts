/** Stores the recurring jobs as documents that Agenda processes, and frees the locks of a dead worker. */
import { createHash } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import type { Job } from './job.ts';

export const jobCollection = 'agendaJobs';

/** A document of Agenda, as far as we read and write it. */
export interface JobDocument {
  readonly _id: mongoose.mongo.ObjectId;
  readonly name: string;
  /** `single` means that there is one document per name. We store no other type. */
  readonly type: 'single';
  readonly priority: number;
  readonly nextRunAt: Date | null;
  readonly repeatInterval?: number | null;
  readonly lockedAt: Date | null;
  /** The worker that locked the job most recently. */
  readonly lastModifiedBy?: string | null;
}

export interface RecurringJobs {
  /**
   * Stores whatever is missing: the index, the recurring jobs, and the next run of a job that lost it. Jobs that exist
   * stay unchanged, except for a new interval. Agenda's own `every` is not used, because it unlocks running jobs.
   */
  ensureStored(): Promise<void>;
  /** Unlocks the jobs that a dead worker had locked. They are due immediately. */
  releaseLocks(worker: string): Promise<void>;
}

/** Agenda's collection. Its writes are less durable than those of payments, because a lost job does no harm. */
export function jobDocuments(connection: Connection): mongoose.mongo.Collection<JobDocument> {
  return jobDatabase(connection).collection<JobDocument>(jobCollection);
}

/** The database of the connection, with writes that are acknowledged before they are in the journal. */
export function jobDatabase(connection: Connection): mongoose.mongo.Db {
  return connection.getClient().db(connection.name, { writeConcern: { w: 1, journal: false } });
}

export function createRecurringJobs({
  connection,
  jobs,
  now,
}: {
  readonly connection: Connection;
  readonly jobs: readonly Pick<Job<never>, 'name' | 'everyMs'>[];
  readonly now: () => Date;
}): RecurringJobs {
  const documents = jobDocuments(connection);
  let wasStored = false;

  async function isComplete(): Promise<boolean> {
    const complete = jobs.map(({ name, everyMs }) => {
      return { _id: recurringId(name), repeatInterval: everyMs, $nor: [lostItsNextRun] };
    });
    return (await documents.countDocuments({ $or: complete })) === jobs.length;
  }

  async function store(): Promise<void> {
    // This index is in addition to Agenda's own. Without it, a search for expired locks reads every waiting job of the
    // name.
    await documents.createIndex({ name: 1, disabled: 1, lockedAt: 1 });
    const at = now();
    await documents.bulkWrite(
      jobs.flatMap(({ name, everyMs }) => {
        const _id = recurringId(name);
        const fresh = { name, type: 'single' as const, priority: 0, repeatInterval: everyMs };
        return [
          { updateOne: { filter: { _id }, update: { $setOnInsert: { ...fresh, ...dueAt(at) } }, upsert: true } },
          {
            updateOne: {
              filter: { _id, repeatInterval: { $ne: everyMs } },
              update: { $set: { repeatInterval: everyMs } },
            },
          },
          { updateOne: { filter: { _id, ...lostItsNextRun }, update: { $set: dueAt(at) } } },
        ];
      }),
      { ordered: false },
    );
  }

  return {
    async ensureStored() {
      if (wasStored && (await isComplete())) return;
      await store();
      wasStored = true;
    },

    async releaseLocks(worker) {
      await documents.updateMany({ lastModifiedBy: worker, lockedAt: { $ne: null } }, { $set: dueAt(now()) });
    },
  };
}

/** If a job is locked again after a crash and then unlocked by a stop, Agenda loses its next run. */
const lostItsNextRun = { lockedAt: null, nextRunAt: null };

function dueAt(nextRunAt: Date): Pick<JobDocument, 'nextRunAt' | 'lockedAt'> {
  return { nextRunAt, lockedAt: null };
}

/** Derives the id from the name, so that two processes cannot store the same job twice. */
function recurringId(name: string): mongoose.mongo.ObjectId {
  return new mongoose.mongo.ObjectId(createHash('sha256').update(name).digest().subarray(0, 12));
}
