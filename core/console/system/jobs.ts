/** Lists the recurring jobs. */
import { html } from '@remix-run/html-template';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { actionsHeading, time } from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

export async function jobsPage({ jobs }: ConsoleDeps, session: Session): Promise<Listing> {
  const rows = await jobs.list();
  return {
    isLive: true,
    before: html`<p>
      <small>Jobs also run on demand, as soon as there is work. The times are those of the schedule.</small>
    </p>`,
    table: {
      caption: 'Recurring jobs',
      head: ['Job', 'Every', 'Last finished', 'Next', 'Running on', 'Failures', actionsHeading],
      rows: rows.map(({ name, everyMs, lastFinishedAt, nextRunAt, lockedAt, worker, failures, failReason }) => [
        name,
        everyMs === null ? 'not registered: no worker has started yet' : `${everyMs / 1000} s`,
        time(lastFinishedAt),
        time(nextRunAt),
        lockedAt ? (worker ?? 'a worker') : '–',
        failures === 0 ? 0 : html`${failures} <small>${failReason}</small>`,
        everyMs === null ? '–' : actionForm(session, 'support', { action: `/ops/jobs/${name}/run`, label: 'Run now' }),
      ]),
      empty: 'There are no jobs.',
    },
  };
}
