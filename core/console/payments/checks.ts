/** The queue of the reconciler: payments whose provider is asked about them. */
import { html } from '@remix-run/html-template';
import { moneyText } from '../../base/text/money-text.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { actionsHeading, badge, time, noWrap } from '../../html/dashboard/parts.ts';
import { paymentLink } from './payment-link.ts';
import type { Query } from '../../html/dashboard/query.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

const perPage = 100;

export async function checksPage(
  { dueChecks }: ConsoleDeps,
  session: Session,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { cursor } = query;
  const { items, nextCursor } = await dueChecks({ limit: rows, ...(cursor !== undefined && { cursor }) });
  return {
    order: 'soonest',
    before: html`<p>
      <small>Workers ask the providers about these by themselves; the count of all is under Now.</small>
    </p>`,
    table: {
      caption: 'Payments that are asked about, the soonest first',
      head: ['Next', 'Payment', 'Made', 'Status', 'Amount', 'Provider', 'Asked', 'Asks now', actionsHeading],
      rows: items.map(({ id, createdAt, status, amount, unit, adapter, checks, nextCheckAt, worker }) => [
        time(nextCheckAt),
        paymentLink(id),
        time(createdAt),
        badge(status),
        noWrap(moneyText(amount, unit)),
        adapter ?? '–',
        `${checks} ×`,
        worker ?? '–',
        actionForm(session, 'support', { action: `/ops/payments/${id}/reconcile`, label: 'Ask now' }),
      ]),
      empty: 'Nobody has to be asked about anything.',
    },
    ids: items.map(({ id }) => String(id)),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}
