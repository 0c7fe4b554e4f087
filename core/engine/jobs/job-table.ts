/** Lists the recurring jobs for operators, and runs one on request. */
import type { Connection } from 'mongoose';
import type { Actor, Audit } from '../audit/index.ts';
import { notFound } from '../../base/errors.ts';
import { jobNames, type JobName } from './names.ts';
import { jobDocuments, type JobDocument } from './recurring-jobs.ts';

export interface JobRow {
  readonly name: JobName;
  readonly everyMs: number | null;
  /** Null if the job is running, or has no next run for another reason. */
  readonly nextRunAt: Date | null;
  readonly lastRunAt: Date | null;
  readonly lastFinishedAt: Date | null;
  /** When a worker locked the job. Null if it is not locked. */
  readonly lockedAt: Date | null;
  readonly worker: string | null;
  readonly failures: number;
  readonly failedAt: Date | null;
  readonly failReason: string | null;
}

export interface JobTable {
  /** Returns every job. A job that no worker has stored yet has no times. */
  list(): Promise<readonly JobRow[]>;
  /**
   * Makes a job due immediately. A running job stays unchanged, because it becomes due again anyway. Throws NF001 if no
   * worker has stored the job.
   */
  run(by: Actor, name: string): Promise<void>;
}

/** The members that Agenda writes in addition to ours. */
interface RunJob extends JobDocument {
  readonly lastRunAt?: Date | null;
  readonly lastFinishedAt?: Date | null;
  readonly failCount?: number | null;
  readonly failedAt?: Date | null;
  readonly failReason?: string | null;
}

export function createJobTable({
  connection,
  audit,
  now,
}: {
  readonly connection: Connection;
  readonly audit: Pick<Audit, 'run'>;
  readonly now: () => Date;
}): JobTable {
  const documents = jobDocuments(connection);
  return {
    async list() {
      const found = (await documents.find({ name: { $in: [...jobNames] } }).toArray()) as RunJob[];
      return jobNames.map((name) =>
        present(
          name,
          found.find((one) => one.name === name),
        ),
      );
    },

    async run(by, name) {
      const which = { name, type: 'single' } as const;
      if (!(await documents.findOne(which))) throw notFound(`the job ${name}`);
      await audit.run(by, { act: 'job.run', subject: { type: 'job', id: name } }, async () => {
        await documents.updateOne({ ...which, lockedAt: null }, { $set: { nextRunAt: now() } });
        return { value: undefined };
      });
    },
  };
}

function present(name: JobName, job: RunJob | undefined): JobRow {
  return {
    name,
    everyMs: job?.repeatInterval ?? null,
    nextRunAt: job?.nextRunAt ?? null,
    lastRunAt: job?.lastRunAt ?? null,
    lastFinishedAt: job?.lastFinishedAt ?? null,
    lockedAt: job?.lockedAt ?? null,
    worker: job?.lockedAt ? (job.lastModifiedBy ?? null) : null,
    failures: job?.failCount ?? 0,
    failedAt: job?.failedAt ?? null,
    failReason: job?.failReason ?? null,
  };
}
