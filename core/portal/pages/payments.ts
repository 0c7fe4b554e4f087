/** The list of the merchant's payments. It shows no data of a card or a payer. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { JsonNumber } from '@paywright/contract';
import { statusLabels } from '../../engine/payments/index.ts';
import type { Portal } from '../index.ts';
import {
  addressWith,
  badge,
  emptyState,
  filters,
  money,
  note,
  readPeriod,
  searchOf,
  table,
  time,
} from '../../html/components/parts.ts';
import { notATime, type Query } from '../../html/components/query.ts';
import type { PortalSession } from './session.ts';

const perPage = 50;

export async function paymentsPage(portal: Portal, session: PortalSession, query: Query, now: Date): Promise<SafeHtml> {
  const { root, link } = session;
  const path = `${root}/payments`;
  const { reference, cursor } = query;
  const status = statusLabels.findIndex((label) => label === query['status']);
  const span = readPeriod(query, now);
  const { items, nextCursor } = await portal.payments(link, {
    ...(status >= 0 && { status }),
    ...(reference !== undefined && { referenceId: reference }),
    ...(span?.from && { createdFrom: span.from }),
    ...(span?.to && { createdTo: span.to }),
    ...(cursor !== undefined && { cursor }),
    limit: perPage,
  });
  return html`${filters({
    path,
    query,
    period: { label: 'Created' },
    fields: [
      { name: 'reference', label: 'Your reference', type: 'search' },
      { name: 'status', label: 'Status', options: statusLabels, textOf: statusText },
    ],
  })}
  ${span === null ? note('bad', notATime) : null}
  ${table({
    caption: 'Payments, newest first',
    head: [
      { name: 'Created', kind: 'short' },
      { name: 'Status', kind: 'short' },
      'Amount',
      { name: 'Your reference', kind: 'long' },
      'Payment',
      'Deliveries',
    ],
    rows: items.map((one) => [
      time(new Date(String(one['createDate']))),
      statusCell(one),
      amountCell(one),
      textOf(one['referenceId']) || '–',
      String(one.id),
      html`<a href="${addressWith(root, { payment: String(one.id) })}" aria-label="Show deliveries of payment ${one.id}"
        >Show</a
      >`,
    ]),
    empty: emptyState({ title: 'No payments found', text: 'Change the search, or choose a longer time.' }),
  })}
  ${
    nextCursor === null
      ? null
      : html`<p class="pages">
          <a href="${addressWith(path, { ...searchOf(query), cursor: nextCursor })}">Older</a>
        </p>`
  }`;
}

/** The API has one status for both. */
function statusText(label: string): string {
  return label === 'expired' ? 'expired or cancelled' : label;
}

function statusCell(one: Readonly<Record<string, unknown>>): SafeHtml {
  const label = statusLabels[Number(one['paymentRequestStatusId'])] ?? '–';
  const shown = label === 'expired' ? badge(statusText(label), 'calm') : badge(label);
  return one['chargedBack'] === true ? html`${shown} ${badge('charged back', 'warn')}` : shown;
}

function amountCell(one: Readonly<Record<string, unknown>>): SafeHtml | string {
  const { amount, transactionCurrency, unit } = one;
  return amount instanceof JsonNumber ? money(amount.text, textOf(transactionCurrency ?? unit)) : '–';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
