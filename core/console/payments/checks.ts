/** The queue of the reconciler: payments whose status is checked at their provider. */
import { html } from '@remix-run/html-template';
import { moneyText } from '../../base/text/money-text.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { actionsHeading, badge, time, noWrap } from '../../html/components/parts.ts';
import { paymentLink } from './payment-link.ts';
import type { Query } from '../../html/components/query.ts';
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
      <small>Workers check these payments automatically. The total count is on the Overview page.</small>
    </p>`,
    table: {
      caption: 'Payments with a scheduled status check, soonest first',
      head: ['Next', 'Payment', 'Created', 'Status', 'Amount', 'Provider', 'Checks', 'Checked by', actionsHeading],
      rows: items.map(({ id, createdAt, status, amount, currency, adapter, checks, nextCheckAt, worker }) => [
        time(nextCheckAt),
        paymentLink(id),
        time(createdAt),
        badge(status),
        noWrap(moneyText(amount, currency)),
        adapter ?? '–',
        `${checks} ×`,
        worker ?? '–',
        actionForm(session, 'support', { action: `/ops/payments/${id}/reconcile`, label: 'Check now' }),
      ]),
      empty: 'No status checks are scheduled.',
    },
    ids: items.map(({ id }) => String(id)),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}
