/** The pages of notifications sent to the merchant: a list, and one notification with its request and every attempt. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notificationStates, sentRequest } from '../../engine/notifications/index.ts';
import { notificationTypes } from '../../http/notifications/webhooks.ts';
import type { Portal } from '../index.ts';
import {
  attemptResult,
  deliveryBadge,
  deliveryStateText,
  deliveryView,
  eventWords,
} from '../../html/components/delivery.ts';
import {
  actionsHeading,
  addressWith,
  emptyState,
  filters,
  note,
  postForm,
  readPeriod,
  searchOf,
  table,
  time,
} from '../../html/components/parts.ts';
import { notATime, type Query } from '../../html/components/query.ts';
import type { PortalSession } from './session.ts';

const perPage = 50;

export async function deliveriesPage(
  portal: Portal,
  session: PortalSession,
  query: Query,
  now: Date,
): Promise<SafeHtml> {
  const { root, link } = session;
  const { type, cursor, payment } = query;
  const state = notificationStates.find((one) => one === query['state']);
  const span = readPeriod(query, now);
  const { items, nextCursor } = await portal.deliveries(link, {
    ...(state && { state }),
    ...(type !== undefined && { type }),
    ...(payment !== undefined && { paymentRequestId: /^\d{1,15}$/.test(payment) ? Number(payment) : -1 }),
    ...(cursor !== undefined && { cursor }),
    ...span,
    limit: perPage,
  });
  return html`${filters({
    path: root,
    query,
    period: { label: 'Created' },
    fields: [
      { name: 'state', label: 'State', options: notificationStates, textOf: deliveryStateText },
      { name: 'type', label: 'Event', options: Object.keys(notificationTypes), textOf: eventWords },
      { name: 'payment', label: 'Payment', inputMode: 'numeric' },
    ],
  })}
  ${span === null ? note('bad', notATime) : null}
  ${table({
    caption: 'Deliveries, newest first',
    head: [
      { name: 'Created', kind: 'short' },
      { name: 'State', kind: 'short' },
      { name: 'Event', kind: 'short' },
      { name: 'Payment', kind: 'short' },
      { name: 'Sent to', kind: 'long' },
      'Attempts',
      { name: 'Latest result', kind: 'short' },
      { name: 'Next attempt', kind: 'short' },
      actionsHeading,
    ],
    rows: items.map((one) => {
      const last = one.attempts.at(-1);
      return [
        time(one.createdAt),
        deliveryBadge(one.state),
        html`<a href="${pathOf(root, one.id)}">${eventWords(one.type)}</a>`,
        one.paymentRequestId === null ? '–' : String(one.paymentRequestId),
        html`<span class="long">${one.url.replace(/\?.*$/s, '?…')}</span>`,
        one.attempts.length,
        last ? attemptResult(last) : '–',
        time(one.nextAttemptAt),
        resendForm(session, one.id),
      ];
    }),
    empty: emptyState({
      title: 'No deliveries found',
      text: 'A delivery is created when something happens to a payment. Change the search, or send a test event.',
      action: { label: 'Send a test event', path: `${root}/endpoints` },
    }),
  })}
  ${
    nextCursor === null
      ? null
      : html`<p class="pages">
          <a href="${addressWith(root, { ...searchOf(query), cursor: nextCursor })}">Older</a>
        </p>`
  }`;
}

/** Throws NF001 if there is no such notification. */
export async function deliveryPage(portal: Portal, session: PortalSession, id: string): Promise<SafeHtml> {
  const { root, link } = session;
  const one = await portal.delivery(link, id);
  return deliveryView({
    ...one,
    request: sentRequest({ ...one, environment: link.environment }),
    facts: [
      ['Payment', one.paymentRequestId ?? '–'],
      ['Created', time(one.createdAt)],
      ['Delivery', html`<code>${one.id}</code>`],
    ],
    actions: html`${resendForm(session, id)}
    ${one.state === 'waiting' ? html`<a class="button" href="${pathOf(root, id)}">Refresh</a>` : null}`,
  });
}

export function pathOf(root: string, id: string): string {
  return `${root}/deliveries/${encodeURIComponent(id)}`;
}

function resendForm(session: PortalSession, id: string): SafeHtml {
  return postForm(session, { action: `${pathOf(session.root, id)}/resend`, label: 'Send again' });
}
