/** The queue of the reconciler: payments whose provider is asked about them. */
import { html } from '@remix-run/html-template';
import { moneyText } from '../../payments/index.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Listing } from './listing.ts';
import { badge, time } from '../../http/dashboard/parts.ts';
import { actForm } from './act-form.ts';
import type { Session } from './session.ts';

const shown = 100;

export async function checksPage({ dueChecks }: ConsoleDeps, session: Session, rows = shown): Promise<Listing> {
  const found = await dueChecks(rows);
  return {
    before: html`<p>
      <small>The soonest ${shown} payments that a worker asks a provider about; the count of all is under Now.</small>
    </p>`,
    table: {
      caption: 'Payments that are asked about, the soonest first',
      head: ['Next', 'Payment', 'Made', 'Status', 'Amount', 'Provider', 'Asked', 'Asks now', 'Act'],
      rows: found.map(({ id, createdAt, status, amount, unit, adapter, checks, nextCheckAt, worker }) => [
        time(nextCheckAt),
        html`<a href="/ops/payments/${id}">${id}</a>`,
        time(createdAt),
        badge(status),
        moneyText(amount, unit),
        adapter ?? '–',
        `${checks} ×`,
        worker ?? '–',
        actForm(session, 'support', { action: `/ops/payments/${id}/reconcile`, label: 'Ask now' }),
      ]),
      empty: 'Nobody has to be asked about anything.',
    },
  };
}
