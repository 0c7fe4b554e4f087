import { setTimeout as sleep } from 'node:timers/promises';
import { createJobTable, jobNames, type JobRow, type JobTable } from '../../engine/jobs/index.ts';
import { didYouMean } from '../../base/text/nearest.ts';
import { withDatabase } from '../with-database.ts';
import { json, printProblems, printResult } from '../json.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { operatorOf } from '../operator.ts';

const limitMs = 30_000;
const pollMs = 200;

async function withJobs<T>(shell: Shell, work: (jobs: JobTable) => Promise<T>): Promise<T> {
  return withDatabase(shell, async ({ connection, audit }) =>
    work(createJobTable({ connection, audit, now: () => new Date() })),
  );
}

export const jobsList = defineCommand({
  options: { json },
  notes: ['Workers also run a job immediately when there is work. The times here are those of the schedule.'],
  async run({ values, shell }) {
    const rows = await withJobs(shell, async (jobs) => jobs.list());
    if (values.json) shell.print(JSON.stringify(rows));
    else for (const row of rows) shell.print(describe(row));
    return 0;
  },
});

export const jobsRun = defineCommand({
  options: { json },
  notes: ['A worker of the running service runs the job within 5 s. The command waits for it.'],
  async run({ values, operands: [name = ''], shell }) {
    if (!jobNames.some((one) => one === name))
      throw new UsageError(
        `There is no job ${name}${didYouMean(name, jobNames) || `: the jobs are ${jobNames.join(', ')}.`}`,
      );
    return withJobs(shell, async (jobs) => {
      const read = async (): Promise<JobRow | undefined> => (await jobs.list()).find((one) => one.name === name);
      const before = (await read())?.lastFinishedAt?.getTime() ?? 0;
      await jobs.run(operatorOf(shell), name);
      for (const end = Date.now() + limitMs; Date.now() < end; await sleep(pollMs)) {
        const row = await read();
        if ((row?.lastFinishedAt?.getTime() ?? 0) <= before) continue;
        printResult(shell, values, row, `${name} has run`);
        return 0;
      }
      printProblems(shell, values, [`No worker has run ${name} yet: it is due, and runs when the service is started.`]);
      return 1;
    });
  },
});

function describe({ name, everyMs, nextRunAt, lastFinishedAt, lockedAt, worker, ...row }: JobRow): string {
  const time = (at: Date | null): string => at?.toISOString() ?? 'never';
  return [
    name.padEnd(22),
    everyMs === null ? 'unknown: the service has not run yet' : `every ${everyMs / 1000} s`,
    `last ${time(lastFinishedAt)}`,
    lockedAt ? `running since ${time(lockedAt)} on ${worker ?? 'a worker'}` : `next ${time(nextRunAt)}`,
    ...(row.failedAt ? [`failed ${row.failures} times, last ${time(row.failedAt)}: ${row.failReason ?? ''}`] : []),
  ].join('  ');
}
