/** Lists the recurring jobs: what each one does, when it ran, and whether it works. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { JobName, JobRow } from '../../engine/jobs/index.ts';
import { describeProgress } from '../../engine/migrations/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { actionsHeading, badge, duration, maskedText, time, type Cell } from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

const purposes: Readonly<Record<JobName, string>> = {
  'drain-callbacks': 'Applies callbacks to their payments',
  reconcile: 'Asks providers about payments and refunds',
  'catch-up-payments': 'Asks about payments whose callbacks may be missing',
  'deliver-notifications': 'Sends notifications to merchants',
  'relay-outbox': 'Queues notifications that a crash left behind',
  'count-volumes': 'Adds up volume and success for the Overview',
  'report-alarms': 'Reports alarms, and resolves those whose cause is gone',
  'watch-backlogs': 'Raises alarms about old work and refused callbacks',
  'expire-payments': 'Expires payments that were not paid in time',
  'purge-expired': 'Deletes data that is kept no longer',
  'migrate-database': 'Moves stored data to the next schema version',
};

export async function jobsPage({ jobs, migrations }: ConsoleDeps, session: Session): Promise<Listing> {
  const [rows, migration] = await Promise.all([jobs.list(), migrations.status()]);
  return {
    isLive: true,
    before: html`<p>Workers also run a job immediately when there is work. The times are those of the schedule.</p>
      ${migration ? html`<p>${describeProgress(migration)}</p>` : null}`,
    table: {
      caption: 'Recurring jobs',
      head: [
        { name: 'Job', kind: 'long' },
        { name: 'Schedule', kind: 'short' },
        { name: 'State', kind: 'short' },
        { name: 'Last run', kind: 'short' },
        { name: 'Duration', kind: 'number' },
        { name: 'Next run', kind: 'short' },
        'Last error',
        actionsHeading,
      ],
      rows: rows.map((row) => [
        html`${row.name}<br /><small>${purposes[row.name]}</small>`,
        scheduleText(row.everyMs),
        stateOf(row),
        time(row.lastRunAt, { seconds: true }),
        durationOf(row),
        time(row.nextRunAt, { seconds: true }),
        errorOf(row),
        row.everyMs === null
          ? '–'
          : actionForm(session, 'support', { action: `/ops/jobs/${row.name}/run`, label: 'Run now' }),
      ]),
      empty: 'There are no jobs.',
    },
  };
}

/** `every 10 seconds`, `every minute`. */
function scheduleText(everyMs: number | null): string {
  if (everyMs === null) return '–';
  const units = [
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
  ] as const;
  const [unit, ms] = units.find(([, size]) => everyMs % size === 0) ?? ['second', 1000];
  const count = everyMs / ms;
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}

/** A job has failed if its latest run did. */
function hasFailed({ failedAt, lastFinishedAt }: JobRow): boolean {
  return failedAt !== null && failedAt.getTime() >= (lastFinishedAt?.getTime() ?? 0);
}

function stateOf(row: JobRow): SafeHtml {
  if (row.everyMs === null) return badge('not started');
  if (row.lockedAt) return html`${badge('running')} <small>${row.worker ?? 'a worker'}</small>`;
  if (hasFailed(row)) return badge('failed');
  return row.lastFinishedAt === null ? badge('waiting') : badge('ok');
}

function durationOf({ lastRunAt, lastFinishedAt }: JobRow): Cell {
  const ms = (lastFinishedAt?.getTime() ?? 0) - (lastRunAt?.getTime() ?? 0);
  if (!lastRunAt || !lastFinishedAt || ms < 0) return '–';
  return duration(ms);
}

function errorOf({ failures, failedAt, failReason }: JobRow): Cell {
  if (failures === 0 || failedAt === null) return '–';
  return html`${maskedText(failReason)}<br /><small
      >${time(failedAt)}, ${failures === 1 ? 'failed once' : `failed ${failures} times`}</small
    >`;
}
