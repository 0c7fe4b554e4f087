/** The queue of the reconciler: payments whose status is checked at their provider. */
import { html } from '@remix-run/html-template';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { actionsHeading, badge, money, time } from '../../html/components/parts.ts';
import { providerText } from './payment-cells.ts';
import { paymentLink } from './payment-link.ts';
import type { Query } from '../../html/components/query.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

const perPage = 100;

export async function checksPage(
  deps: ConsoleDeps,
  session: Session,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { cursor } = query;
  const { items, nextCursor } = await deps.dueChecks({ limit: rows, ...(cursor !== undefined && { cursor }) });
  return {
    order: 'soonest',
    before: html`<p>
      <small>Workers check these payments automatically. The total count is on the Overview page.</small>
    </p>`,
    table: {
      caption: 'Payments with a scheduled status check, soonest first',
      head: [
        { name: 'Next check', kind: 'short' },
        'Asks about',
        'Payment',
        { name: 'Created', kind: 'short' },
        'Status',
        { name: 'Amount', kind: 'number' },
        { name: 'Provider', kind: 'short' },
        { name: 'Asked so far', kind: 'number' },
        'Checked by',
        actionsHeading,
      ],
      rows: items.map(({ id, createdAt, status, about, amount, currency, adapter, checks, nextCheckAt, worker }) => [
        time(nextCheckAt),
        about === 'refund' ? 'Refund' : 'Payment',
        paymentLink(id),
        time(createdAt),
        badge(status),
        money(amount, currency),
        adapter === null ? '–' : providerText(deps, adapter),
        checks,
        worker ?? '–',
        actionForm(session, 'support', { action: `/ops/payments/${id}/reconcile`, label: 'Check now' }),
      ]),
      empty: 'No status checks are scheduled.',
    },
    ids: items.map(({ id }) => String(id)),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}
